import { GitContext, ProjectContext, SlashCommand } from "@belay/prompt-context"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(path.join(tmpdir(), "belay-prompt-")))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const write = (root: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
}

const skill = (name: string, text: string) => `---\nname: ${name}\ndescription: "How to ${name}"\n---\n${text}\n`

const contentOf = (workspace: string, home: string, trusted: (hash: string) => boolean) =>
  ProjectContext.make({ home, isTrusted: (_, hash) => Effect.sync(() => trusted(hash)) }).content(workspace)

describe("what a folder says", () => {
  it("is read without following links, which may lead round in circles or to everything", () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-prompt-")))
    write(root, { ".belay/rules/a.md": "first", ".belay/rules/deep/b.md": "second" })
    for (const [name, target] of Object.entries({ x: ".", y: "..", z: "/", w: "deep" })) {
      symlinkSync(target, path.join(root, ".belay/rules", name))
    }
    assert.deepStrictEqual(ProjectContext.fingerprint(root)?.files, [".belay/rules/a.md", ".belay/rules/deep/b.md"])
    rmSync(root, { recursive: true })
  })

  it.live("counts nearest first up to the root of the repository, then the user's own", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const home = yield* folder
      const workspace = path.join(root, "repo", "packages", "a")
      write(root, {
        "AGENTS.md": "above the repository",
        "repo/.git/HEAD": "ref",
        "repo/AGENTS.md": "of the repository"
      })
      write(workspace, {
        "AGENTS.md": "of the package",
        ".belay/rules/b.md": "second",
        ".belay/rules/a.md": "first",
        ".clinerules": "of cline",
        ".roo/rules/x.txt": "of roo",
        ".belay/commands/review.md": "---\ndescription: Review\n---\nReview $ARGUMENTS",
        ".belay/skills/deploy/SKILL.md": skill("deploy", "Push it."),
        ".agents/skills/deploy/SKILL.md": skill("deploy", "Another."),
        ".agents/skills/test/SKILL.md": skill("test", "Run it.")
      })
      write(home, { "rules/mine.md": "mine", "commands/fix.md": "Fix it" })
      const { commands, rules, skills } = yield* contentOf(workspace, home, () => true)
      assert.deepStrictEqual(
        rules.map(({ text }) => text),
        ["of the package", "of the repository", "first", "second", "of cline", "of roo", "mine"]
      )
      assert.deepStrictEqual(
        skills.map(({ description, name, text }) => [name, description, text]),
        [
          ["deploy", "How to deploy", "Push it."],
          ["test", "How to test", "Run it."]
        ]
      )
      assert.deepStrictEqual(
        commands.map((command) => [command.name, command.description, SlashCommand.expand(command, "it all")]),
        [
          ["review", "Review", "Review it all"],
          ["fix", "", "Fix it\n\nit all"]
        ]
      )
    })
  )

  it.live("counts only while it is trusted with the very content that it has", () =>
    Effect.gen(function* () {
      const workspace = yield* folder
      const home = yield* folder
      write(workspace, { "AGENTS.md": "one" })
      const { files, hash } = ProjectContext.fingerprint(workspace)!
      assert.deepStrictEqual(files, ["AGENTS.md"])
      const trusts = (asked: string) => asked === hash
      assert.deepStrictEqual((yield* contentOf(workspace, home, trusts)).rules.length, 1)
      write(workspace, { "AGENTS.md": "two" })
      assert.deepStrictEqual(yield* contentOf(workspace, home, trusts), ProjectContext.nothing)
      // It changes while it is asked about: what was asked about counts, and what it has become does not.
      const changes = () => {
        write(workspace, { "AGENTS.md": "three" })
        return true
      }
      const { rules } = yield* contentOf(workspace, home, changes)
      assert.deepStrictEqual(
        rules.map(({ text }) => text),
        ["two"]
      )
      rmSync(path.join(workspace, "AGENTS.md"))
      assert.isUndefined(ProjectContext.fingerprint(workspace))
    })
  )

  it.live("does not follow links, nor read what is large", () =>
    Effect.gen(function* () {
      const workspace = yield* folder
      const elsewhere = yield* folder
      write(elsewhere, { "secret.md": "secret", "rules/a.md": "secret" })
      symlinkSync(path.join(elsewhere, "secret.md"), path.join(workspace, "AGENTS.md"))
      symlinkSync(elsewhere, path.join(workspace, ".belay"))
      write(workspace, { ".clinerules": "x".repeat(70_000) })
      assert.isUndefined(ProjectContext.fingerprint(workspace))
    })
  )
})

describe("what git says", () => {
  it.live("is changes and commits, of files that may be read, without running what a repository configures", () =>
    Effect.gen(function* () {
      const workspace = yield* folder
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
          cwd: workspace,
          encoding: "utf8"
        })
      git("init", "--quiet")
      write(workspace, { "a.ts": "one\n", ".env": "KEY=1\n" })
      git("add", ".")
      git("commit", "--quiet", "-m", "the first")
      git("config", "core.fsmonitor", `touch ${path.join(workspace, "ran")}`)
      git("config", "core.pager", `touch ${path.join(workspace, "ran")}`)
      write(workspace, { "a.ts": "two\n", ".env": "KEY=2\n", "new file.ts": "" })
      const mayRead = (file: string) => Effect.succeed(file !== ".env")
      const changed = (yield* GitContext.changes(workspace, mayRead)) ?? ""
      for (const part of ["-one", "+two", "new file.ts", "(Not shown: .env)"]) assert.include(changed, part)
      const commit = (yield* GitContext.commit(workspace, git("rev-parse", "HEAD").trim().slice(0, 8), mayRead)) ?? ""
      for (const part of ["the first", "+one"]) assert.include(commit, part)
      assert.notInclude(changed + commit, "KEY=")
      assert.isFalse(existsSync(path.join(workspace, "ran")))
      assert.isUndefined(yield* GitContext.commit(workspace, "abcdef1", mayRead))
      const [newest] = yield* GitContext.recent(workspace)
      assert.strictEqual(newest?.subject, "the first")
      assert.isTrue(git("rev-parse", "HEAD").startsWith(newest?.hash ?? "-"))
      assert.strictEqual(newest?.hash.length, 10)
      assert.deepStrictEqual(yield* GitContext.recent(yield* folder), [])
      assert.isUndefined(yield* GitContext.changes(yield* folder, mayRead))
    })
  )

  it.live("is nothing but a reason where settings of the repository start programs", () =>
    Effect.gen(function* () {
      const workspace = yield* folder
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: workspace })
      const ran = path.join(workspace, "ran")
      git("init", "--quiet")
      write(workspace, { "a.ts": "one\n", ".gitattributes": "*.ts filter=x\n" })
      git("add", ".")
      git("commit", "--quiet", "-m", "the first")
      git("config", "filter.x.clean", `touch ${ran}; cat`)
      write(workspace, { "a.ts": "two\n" })
      git("diff")
      assert.isTrue(existsSync(ran), "the attack does not work")
      rmSync(ran)
      const mayRead = () => Effect.succeed(true)
      for (const asked of [GitContext.changes(workspace, mayRead), GitContext.commit(workspace, "HEAD", mayRead)]) {
        const refused = yield* Effect.flip(asked)
        assert.match(refused.message, /^Git was not asked: [^\n]*filter\.x\.clean/)
      }
      assert.deepStrictEqual(yield* GitContext.recent(workspace), [])
      assert.isFalse(existsSync(ran))
    })
  )
})

describe("a command", () => {
  it.each<[string, SlashCommand.Invocation | undefined]>([
    ["/plan look around", { name: "plan", rest: "look around" }],
    ["/compact", { name: "compact", rest: "" }],
    ["/usr/bin is full", undefined],
    ["say /plan", undefined],
    ["/unknown", undefined]
  ])("is known at the beginning of a text only: %s", (text, found) =>
    assert.deepStrictEqual(SlashCommand.known(text), found as never)
  )

  it("is offered by what was typed of it, what begins so first; one of Belay's own is never another", () => {
    const own = [
      { name: "implant", description: "" },
      { name: "plan", description: "Another plan" },
      { name: "planet", description: "" },
      { name: "v1.2", description: "No command has this name" }
    ]
    assert.deepStrictEqual(
      SlashCommand.completions("plan", own).map(({ detail, insert }) => [insert, detail]),
      [
        ["/plan", "Switch to plan mode"],
        ["/planet", ""],
        ["/deep-planning", "Investigate, ask, write a plan, and hand it over"],
        ["/implant", ""]
      ]
    )
    assert.notInclude(JSON.stringify(SlashCommand.completions("", own)), "v1.2")
  })
})
