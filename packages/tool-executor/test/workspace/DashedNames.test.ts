/** Names of files that a program takes for flags: found by a pattern or a list, or made for it. */
import { ApprovalPolicy, Approvals, type PolicyInput } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as Workspace from "./fixtures/Workspace.ts"

const readers = {
  ...Approvals.ask,
  commands: { allow: ["ls", "cat", "git ls-files", "cd"], deny: [], other: "ask" as const }
}

const decide = Effect.fnUntraced(function* (
  command: string,
  world: Workspace.TestWorkspace,
  approvals: Approvals.Approvals = Approvals.all
) {
  const facts = yield* Workspace.tool("execute_command").facts({ command }, world.context)
  const input: PolicyInput.PolicyInput = {
    tool: "execute_command",
    category: "command",
    args: { command },
    mode: "act",
    readOnly: false,
    approvals,
    facts: { paths: [], ...(facts.command === undefined ? {} : { command: facts.command }) },
    workspace: world.root,
    known: true
  }
  return ApprovalPolicy.decide(input).decision
})

/** A folder that holds the name, a plain file and a secret; git tracks the first two. */
const folder = (name: string) =>
  Effect.map(Workspace.make, (world) => {
    world.write(`odd/${name}`, "odd\n")
    world.write("odd/a", "a\n")
    world.write("odd/.env", "TOKEN=1\n")
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: world.root })
    git("init", "-q")
    git("add", "--", "odd/a", `odd/${name}`)
    git("commit", "-qm", "x")
    return world
  })

const state = (world: Workspace.TestWorkspace): string =>
  fs
    .readdirSync(world.at("odd"))
    .toSorted()
    .map((name) => `${name} ${world.read(`odd/${name}`)}`)
    .join("")

/** Whether it writes a file, or shows the secret. */
const harms = (command: string, world: Workspace.TestWorkspace): boolean => {
  const before = state(world)
  const { stderr, stdout } = spawnSync("bash", ["-c", command], { cwd: world.root, encoding: "utf8" })
  return before !== state(world) || `${stdout}${stderr}`.includes("TOKEN")
}

describe("a name that is a flag", () => {
  it.effect.each([
    ["-o.npmrc", "cd odd && shuf *"],
    ["-o.npmrc", "cd odd && sort a *"],
    ["-o.npmrc", 'cd odd && for f in *; do shuf "$f"; done'],
    ["-o.npmrc", "cd odd && git ls-files | xargs shuf"],
    ["-o.npmrc", "cd odd && shuf $(git ls-files)"],
    ["-o.npmrc", "cd odd && ls | xargs sort"],
    ["-o.npmrc", "cd odd && sort -*"],
    ["--output=.npmrc", "cd odd && git log -*"],
    ["--output=.npmrc", "cd odd && git diff *"],
    ["--files0-from=.env", "cd odd && wc -*"],
    ["--files0-from=.env", "cd odd && ls | xargs -n1 du"],
    ["-f.env", "cd odd && date *env"],
    ["-f.env", "cd odd && ls | xargs -n1 date"],
    ["-delete", "cd odd && find -*"],
    ["-delete", "cd odd && find . -*"]
  ] as const)("asks: %s by %s", ([name, command]) =>
    Effect.gen(function* () {
      const world = yield* folder(name)
      assert.strictEqual(yield* decide(command, world), "ask")
      assert.strictEqual(yield* decide(command, world, readers), "ask")
      assert.isTrue(harms(command, world), "the attack does not work")
    })
  )

  it.effect("asks where it is a folder, whose name goes before that of the file", () =>
    Effect.gen(function* () {
      const world = yield* folder("b")
      world.write("odd/-o../x", "x\n")
      world.write("odd/x", "x\n")
      const command = "cd odd && sort a ?o*/../x"
      for (const approvals of [Approvals.all, { ...readers, commands: { ...readers.commands, allow: ["cd", "sort"] } }])
        assert.strictEqual(yield* decide(command, world, approvals), "ask")
      spawnSync("bash", ["-c", command], { cwd: world.root })
      assert.isTrue(fs.existsSync(world.at("../x")), "the attack does not work")
    })
  )

  it.effect("asks where it is made, whatever it is made with", () =>
    Effect.gen(function* () {
      const world = yield* folder("b")
      for (const command of ["touch -- -o.npmrc", "echo x > ./-o.npmrc", "cp odd/a ./-x", "mkdir ./-p"])
        assert.strictEqual(yield* decide(command, world), "ask", command)
    })
  )

  it.effect("is nothing where no name begins with a dash", () =>
    Effect.gen(function* () {
      const world = yield* folder("b")
      fs.rmSync(world.at("odd/.env"))
      for (const command of [
        "cd odd && wc *",
        "cd odd && sort *",
        "cd odd && git ls-files | xargs cat",
        "cat < odd/a | sort -",
        "touch odd/new-file"
      ])
        assert.strictEqual(yield* decide(command, world), "allow", command)
    })
  )
})

describe("names that are read from a file", () => {
  it.effect("may be those of secrets, wherever the line has moved to", () =>
    Effect.gen(function* () {
      const world = yield* folder("b")
      world.write("plain/list", "../odd/.env\n")
      for (const command of ["cd plain && cat list | xargs cat", "cd plain && tac list | xargs -n1 head"]) {
        assert.strictEqual(yield* decide(command, world), "ask", command)
        assert.include(spawnSync("bash", ["-c", command], { cwd: world.root, encoding: "utf8" }).stdout, "TOKEN")
      }
    })
  )
})
