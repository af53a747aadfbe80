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

const isSecret = (file: string): boolean => path.basename(file) === ".env"

const contentOf = (workspace: string, home: string, trusted: (hash: string) => boolean) =>
  ProjectContext.make({ home, isTrusted: (_, hash) => Effect.sync(() => trusted(hash)), isSecret }).content(workspace)

describe("what a folder says", () => {
  it("is read without following links, which may lead round in circles or to everything", () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-prompt-")))
    write(root, { ".belay/rules/a.md": "first", ".belay/rules/deep/b.md": "second" })
    for (const [name, target] of Object.entries({ x: ".", y: "..", z: "/", w: "deep" })) {
      symlinkSync(target, path.join(root, ".belay/rules", name))
    }
    assert.deepStrictEqual(ProjectContext.fingerprint(root, isSecret)?.files, [
      ".belay/rules/a.md",
      ".belay/rules/deep/b.md"
    ])
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
        ["of the package", "first", "second", "of cline", "of roo", "of the repository", "mine"]
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
      const { files, hash } = ProjectContext.fingerprint(workspace, isSecret)!
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
      assert.isUndefined(ProjectContext.fingerprint(workspace, isSecret))
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
      assert.isUndefined(ProjectContext.fingerprint(workspace, isSecret))
    })
  )
})

describe("the files of other agents", () => {
  const read = (workspace: string, home: string) => contentOf(workspace, home, () => true)
  const why = (workspace: string) =>
    Object.fromEntries(ProjectContext.survey(workspace, isSecret).leftOut.map(({ name, why }) => [name, why]))

  it.live("are rules as AGENTS.md is, in a fixed order, the nearest folder first, and the same text once", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const home = yield* folder
      const workspace = path.join(root, "a")
      write(root, { ".git/HEAD": "ref", "CLAUDE.md": "claude above", ".cursorrules": "cursor above" })
      write(workspace, {
        ".windsurfrules": "windsurf",
        ".github/copilot-instructions.md": "copilot",
        ".cursor/rules/always.mdc": "---\ndescription: x\nglobs:\nalwaysApply: true\n---\ncursor",
        "GEMINI.md": "gemini",
        ".claude/rules/api.md": "---\npaths:\n  - src/api/**\n  - 'test/**'\n---\napi",
        "CLAUDE.local.md": "mine",
        ".claude/CLAUDE.md": "claude inside",
        "CLAUDE.md": "claude",
        ".roo/rules/a.md": "roo",
        "AGENTS.md": "agents",
        ".cursorrules": "agents"
      })
      const { rules } = yield* read(workspace, home)
      assert.deepStrictEqual(
        rules.map(({ text }) => text),
        [
          ..."agents|roo|claude|claude inside|mine|gemini".split("|"),
          "(Only for files that match src/api/**, test/**)\napi",
          ..."cursor|copilot|windsurf|claude above|cursor above".split("|")
        ]
      )
      assert.deepStrictEqual(why(workspace), { ".cursorrules": "it says the same as AGENTS.md" })
    })
  )

  it.live("of Cursor count by their front matter: by globs, as a skill, or not unless mentioned", () =>
    Effect.gen(function* () {
      const workspace = yield* folder
      const home = yield* folder
      write(workspace, {
        ".cursor/rules/globs.mdc": "---\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\nTypes.",
        ".cursor/rules/deep/asked.mdc": "---\ndescription: >-\n  How to\n  release\nglobs:\n---\nTag it.",
        ".cursor/rules/manual.mdc": "---\ndescription:\nglobs:\nalwaysApply: false\n---\nNever by itself.",
        ".cursor/rules/bare.mdc": "Bare."
      })
      const { rules, skills } = yield* read(workspace, home)
      assert.deepStrictEqual(
        rules.map(({ text }) => text),
        ["Bare.", "(Only for files that match *.ts, *.tsx)\nTypes."]
      )
      const asked = { name: "asked", description: "How to release", text: "Tag it." }
      assert.deepStrictEqual(skills, [{ ...asked, folder: path.join(workspace, ".cursor/rules/deep") }])
      assert.deepStrictEqual(why(workspace), {
        ".cursor/rules/manual.mdc": "it counts only where it is mentioned: @/.cursor/rules/manual.mdc"
      })
    })
  )

  it.live("import what they name, each file once and so deep, not in code, and never what may hold secrets", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const home = yield* folder
      const workspace = path.join(root, "work")
      write(workspace, {
        "CLAUDE.md": [
          "See @docs/a.md, ask @someone of @scope/pkg. @.env @docs/link.md @docs/none.md",
          "`@docs/code.md`",
          "```",
          "@docs/code.md",
          "```",
          "@../beside.md @docs/sub/ @docs/round.md"
        ].join("\n"),
        "docs/a.md": "a, and @b.md",
        "docs/b.md": "b @c.md @a.md",
        "docs/c.md": "c @d.md",
        "docs/d.md": "d @e.md",
        "docs/e.md": "e @f.md",
        "docs/f.md": "f",
        "docs/code.md": "code",
        "docs/round.md": "round @round.md @../CLAUDE.md",
        "docs/sub/x.md": "x",
        ".env": "KEY=1"
      })
      write(root, { "beside.md": "beside", "secrets/.env": "KEY=2" })
      symlinkSync(path.join(root, "beside.md"), path.join(workspace, "docs/link.md"))
      symlinkSync(path.join(root, "secrets/.env"), path.join(root, "harmless.md"))
      write(workspace, { "GEMINI.md": `@${path.join(root, "harmless.md")}` })
      const { rules } = yield* read(workspace, home)
      assert.deepStrictEqual(
        rules.map(({ source }) => source),
        [
          "CLAUDE.md",
          ..."abcde".split("").map((name) => `docs/${name}.md`),
          path.join(root, "beside.md"),
          "docs/round.md",
          "GEMINI.md"
        ]
      )
      assert.notInclude(JSON.stringify(rules), "KEY=")
      assert.deepStrictEqual(why(workspace), {
        ".env": "it may hold secrets",
        "docs/link.md": "it is a link, and links are not followed",
        "docs/none.md": "there is no such file",
        "docs/f.md": "it is imported more than 5 files deep",
        [path.join(root, "harmless.md")]: "it may hold secrets"
      })
      // What lies outside is part of what is trusted, by its whole name and its text.
      const before = ProjectContext.fingerprint(workspace, isSecret)
      assert.include(before?.files ?? [], path.join(root, "beside.md"))
      write(root, { "beside.md": "changed" })
      assert.notStrictEqual(ProjectContext.fingerprint(workspace, isSecret)?.hash, before?.hash)
    })
  )

  it.live("are commands, skills and agents, too; of two of one name the first counts", () =>
    Effect.gen(function* () {
      const workspace = yield* folder
      const home = yield* folder
      const agent =
        "---\nname: reviewer\ndescription: |\n  Reads\n  diffs\ntools: Read, Bash(git diff:*, x)\nmodel: haiku\n---\nBe strict."
      write(workspace, {
        ".claude/commands/git/fix.md":
          "---\ndescription: Fix it\nargument-hint: [issue]\n---\nFix $1 of $2: $ARGUMENTS",
        ".claude/commands/2nd.md": "no name",
        ".claude/skills/pdf/SKILL.md": skill("pdf", "Fill it."),
        ".claude/agents/reviewer.md": agent,
        ".claude/agents/plain.md": "---\nmodel: inherit\n---\nAnything.",
        ".claude/agents/safe.md": "---\nname: safe\ndisallowedTools: Bash\n---\nRun nothing.",
        ".claude/agents/odd.md": "---\nname: odd\ntools:\n  Bash: false\n---\nRun.",
        ".claude/agents/empty.md": "---\nname: empty\ntools:\n---\nRun.",
        ".claude/agents/broken.md": "---\nname: broken\ntools: Read\ntools: Bash\n---\nRun."
      })
      write(home, { "agents/reviewer.md": "Mine." })
      const { agents, commands, skills } = yield* read(workspace, home)
      assert.deepStrictEqual(
        commands.map((command) => [command.name, command.description, SlashCommand.expand(command, '7 "the parser"')]),
        [["fix", "Fix it [issue]", 'Fix 7 of the parser: 7 "the parser"']]
      )
      assert.deepStrictEqual(
        skills.map(({ name }) => name),
        ["pdf"]
      )
      assert.deepStrictEqual(agents, [
        { name: "plain", description: "", text: "Anything." },
        {
          name: "reviewer",
          description: "Reads\ndiffs",
          text: "Be strict.",
          tools: ["Read", "Bash(git diff:*, x)"],
          model: "haiku"
        },
        { name: "reviewer", description: "", text: "Mine." }
      ])
      assert.deepStrictEqual(why(workspace), {
        ".claude/commands/2nd.md": '"2nd" cannot be its name',
        ".claude/agents/safe.md": "no tools can be taken from it here; name in tools those that it has",
        ".claude/agents/odd.md": "tools does not name its tools; leave it out for all of them",
        ".claude/agents/empty.md": "tools does not name its tools; leave it out for all of them",
        ".claude/agents/broken.md": "its front matter is no YAML (Duplicate key 'tools' at line 3)"
      })
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
