/** The entry that is named with a denial allows that call, and not its neighbours. */
import { Approvals } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { folder } from "./support/cli.ts"

vi.stubEnv("BELAY_HOME", folder())
afterAll(() => vi.unstubAllEnvs())

/** They look for the data folder when they are loaded. */
const Explain = await import("../src/policy/Explain.ts")
const Entry = await import("../src/policy/Entry.ts")
const Explanation = await import("../src/policy/Explanation.ts")

const workspace = folder()
const beyond = folder()

beforeAll(() => {
  for (const name of ["a.txt", "b.txt", "package.json", "[x].txt", "=a.txt"]) {
    writeFileSync(path.join(workspace, name), "x\n")
  }
  for (const name of ["one.txt", "two.txt", "[o]*?.txt", "!one.txt", "=one.txt"]) {
    writeFileSync(path.join(beyond, name), "x\n")
  }
  mkdirSync(path.join(beyond, "inner"))
  writeFileSync(path.join(beyond, "inner", "deep.txt"), "x\n")
  symlinkSync(path.join(beyond, "one.txt"), path.join(workspace, "link.txt"))
  mkdirSync(path.join(workspace, ".git"))
})

interface Call {
  readonly tool: string
  readonly args: unknown
}

const question = ({ args, tool }: Call, approvals: Approvals.Approvals) => ({
  tool,
  args,
  mode: "act" as const,
  approvals,
  sandboxSetting: "off" as const,
  allowedDomains: [],
  strictPlanMode: true,
  unconfirmed: [],
  workspace,
  attended: false
})

const judged = (call: Call, approvals: Approvals.Approvals) =>
  Effect.runPromise(Effect.provide(Explain.explain(question(call, approvals)), Explain.layer))

const entryOf = async (call: Call, approvals: Approvals.Approvals) => {
  const first = await judged(call, approvals)
  assert.strictEqual(first.decision, "deny", JSON.stringify(call))
  return Effect.runPromise(Effect.provide(Entry.of(question(call, approvals), first), Explain.layer))
}

const at = (name: string): string => path.join(beyond, name)
const run = (command: string): Call => ({ tool: "execute_command", args: { command } })
const reads = (file: string): Call => ({ tool: "read_file", args: { path: file } })
const lists = (file: string): Call => ({ tool: "list_files", args: { path: file } })
const writes = (file: string): Call => ({ tool: "write_to_file", args: { path: file, content: "y\n" } })
const uses = (server: string, tool: string): Call => ({
  tool: "use_mcp_tool",
  args: { server, tool, arguments: {} }
})
const looks = (server: string, uri: string): Call => ({ tool: "access_mcp_resource", args: { server, uri } })

/** A call, and others that its entry must not allow. */
const rows: ReadonlyArray<readonly [Call, ReadonlyArray<Call>]> = [
  [reads(at("one.txt")), [reads(at("two.txt")), lists(beyond), writes(at("one.txt")), writes(at("two.txt"))]],
  [reads("link.txt"), [reads(at("two.txt")), lists(beyond), writes("link.txt")]],
  [reads(at("[o]*?.txt")), [reads(at("one.txt")), reads(at("two.txt")), lists(beyond)]],
  [reads(at("!one.txt")), [reads(at("one.txt")), reads(at("two.txt"))]],
  [reads(at("=one.txt")), [reads(at("one.txt")), reads(at("two.txt"))]],
  [reads("/etc/hostname"), [reads("/etc/hosts"), lists("/etc"), reads("/etc/hostname/x"), reads("/etc/hostnames")]],
  [lists(at("inner")), [lists(beyond), reads(at("one.txt")), writes(at("inner/deep.txt"))]],
  [writes(at("one.txt")), [writes(at("two.txt")), reads(at("two.txt")), run("touch a.txt")]],
  [writes("a.txt"), [writes(at("one.txt")), reads(at("one.txt")), writes("package.json"), run("touch a.txt")]],
  [writes("=a.txt"), [writes(at("one.txt")), writes("package.json")]],
  [run(`cat ${at("one.txt")}`), [run(`cat ${at("two.txt")}`), run(`ls ${beyond}`), reads(at("two.txt"))]],
  [run("touch b.txt"), [run(`touch ${at("x")}`), run("rm b.txt"), run("touch .npmrc"), run("touch $x")]],
  [run("npm test"), [run("npm run other"), run("npm install x"), run("npx x"), run("npm test; x"), run("./npm test")]],
  [run("npm test -- --import=data:x"), [run("npm test -- --import=data:y"), run("npm test -- --require=x")]],
  [run("=npm test"), [run("npm test"), run("npm run x")]],
  [run("mine p*"), [run("mine --out a"), run("other p*")]],
  [run("mine [ab]?"), [run("mine --out a"), run("mines [ab]?")]],
  [run("mine !x"), [run("mine --out x"), run("other !x"), run("./mine !x")]],
  [run("'mine *' x"), [run("mine x"), run("mine a x")]],
  [run("make x | sh"), [run("make x | bash"), run("sh y"), run("echo rm | sh")]],
  [run("python -c 'print(1)'"), [run("python -c 'print(2)'"), run("python x.py")]],
  [
    run("git commit -m x"),
    [run("git reset --hard"), run("git clean -fdx"), run("git push --force"), run("git -c x=y commit")]
  ],
  [run("for x in $(mine); do it $x; done"), [run("it x"), run("mine"), run("for x in $(y); do it $x; done")]],
  [run("sed -i s/a/b/ a.txt"), [run("sed -i 1e a.txt"), run("sed -n '1w x' a.txt"), run("sed -i s/a/b/ .npmrc")]],
  [uses("notes", "add"), [uses("notes", "remove"), uses("other", "add"), looks("notes", "add")]],
  [uses("notes", "a*"), [uses("notes", "ab"), uses("notes", "*"), uses("notes", "a")]],
  [uses("notes", "a/b"), [uses("notes", "a"), uses("notes/a", "b"), uses("notes", "a/c")]],
  [uses("notes", "__proto__"), [uses("notes", "add"), uses("notes", "constructor")]],
  [looks("notes", "note://1"), [looks("notes", "note://2"), uses("notes", "note://1"), looks("other", "note://1")]],
  [looks("notes", "note://*"), [looks("notes", "note://1"), uses("notes", "add")]]
]

/** Calls of which only an entry that stands for many would allow one. */
const without: ReadonlyArray<Call> = [
  uses("notes", "*"),
  uses("*", "add"),
  uses("*", "*"),
  uses("resource:notes", "add"),
  looks("notes", "*"),
  looks("*", "note://1"),
  { tool: "use_mcp_tool", args: { server: "notes" } },
  lists("/"),
  writes(".git/config"),
  run(`touch ${at("x")}`),
  // One of the names is that of a link to a file outside.
  run("mine *")
]

describe("the entry that is named with a denial", () => {
  it("allows the call, and none of its neighbours", async () => {
    for (const [call, neighbours] of rows) {
      const entry = await entryOf(call, Approvals.ask)
      assert.isDefined(entry, JSON.stringify(call))
      // It is what --approvals takes.
      const given = JSON.parse(JSON.stringify(entry))
      const wide = Entry.widened(Approvals.ask, given)
      await Effect.runPromise(Approvals.decode(given))
      assert.strictEqual((await judged(call, wide)).decision, "allow", JSON.stringify([call, entry]))
      for (const other of neighbours) {
        const before = await judged(other, Approvals.ask)
        assert.strictEqual(before.decision, "deny", JSON.stringify(other))
        assert.strictEqual((await judged(other, wide)).decision, "deny", JSON.stringify([call, entry, other]))
      }
    }
  })

  it("is none where it would stand for more than can be named", async () => {
    for (const call of without) assert.isUndefined(await entryOf(call, Approvals.ask), JSON.stringify(call))
  })

  it("is what policy explain names, in words", async () => {
    const said = async (call: Call) =>
      Explanation.forPeople(question(call, Approvals.ask), await judged(call, Approvals.ask), [])
    assert.include(await said(reads("/etc/hostname")), 'To allow it, add to folders: "/etc/hostname".')
    assert.include(
      await said(writes(at("one.txt"))),
      `add to folders: ${JSON.stringify(at("one.txt"))}, and set "edit": "allow".`
    )
    assert.include(await said(lists("/")), 'Only "readOutside": "allow" allows it, for all of this machine.')
    assert.include(await said(uses("notes", "*")), "No entry names this alone. When it asks, allow it.")
    assert.include(await said(uses("notes", "add")), 'add to mcp: "notes/add": "allow".')
  })
})
