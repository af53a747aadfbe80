/** The project's own checks, and its programs under whatever name: pure, over facts as a tool finds them. */
import { ApprovalPolicy, Approvals, type CommandFact, Grant } from "@belay/approval-policy"
import { read } from "@belay/approval-policy/shell"
import { assert, describe, it } from "vitest"
import * as fixtures from "./fixtures.ts"

const own = (program: string) =>
  /^(?:pytest|git|ls)$/.test(program)
    ? { name: `.venv/bin/${program}`, file: `${fixtures.workspace}/.venv/bin/${program}` }
    : /(?:^|\/)gradlew$/.test(program)
      ? { name: program.startsWith("sub/") ? program : "./gradlew", file: `${fixtures.workspace}/${program}` }
      : undefined

const reasonOf = (text: string, approvals: Approvals.Approvals, more: Partial<CommandFact.CommandFact> = {}) => {
  const reading = read(text, { home: "/users/me", folder: fixtures.workspace, own })
  const files = reading.targets.map(({ path: given, role }) =>
    given === null ? [] : [fixtures.file(given, role === "read" || role === "program" ? "read" : "write")]
  )
  const command = { text, cwd: fixtures.cwd(), reading, files, ...more }
  const facts = { paths: [], command }
  const { decision, grants, reason, rule } = ApprovalPolicy.decide(
    fixtures.input({ category: "command", tool: "execute_command", args: { command: text }, facts, approvals })
  )
  return { said: `${decision} ${rule}`, reason, grants }
}

/** What a yes to the command is kept as. */
const grantsOf = (text: string): ReadonlyArray<string> => {
  const reading = read(text, { home: "/users/me", folder: fixtures.workspace, own })
  const files = reading.targets.map(({ path: given }) => (given === null ? [] : [fixtures.file(given, "read")]))
  const command = { text, cwd: fixtures.cwd(), reading, files }
  const { workspace } = fixtures
  const call = {
    tool: "execute_command",
    args: {},
    category: "command",
    facts: { paths: [], command },
    workspace
  } as const
  return Grant.rulesFor(call).map((rule) => Grant.describe(rule, fixtures.workspace))
}

const listing = (...allow: ReadonlyArray<string>): Approvals.Approvals => ({
  ...Approvals.edits,
  commands: { allow, deny: [], other: "ask" }
})

const found: ReadonlyArray<CommandFact.Check> = [
  { entry: "npm run test", from: "package.json" },
  { entry: ".venv/bin/pytest", from: "pyproject.toml" },
  { entry: "./gradlew test", from: "build.gradle", changed: "gradlew" }
]

describe("a check of the project", () => {
  it("needs no entry in the sandbox, asks once without one, and asks once the task has changed what it runs", () => {
    const said = (text: string, more: Partial<CommandFact.Checks> = {}, approvals = Approvals.project) =>
      reasonOf(text, approvals, { checks: { found, confined: true, agreed: false, ...more } }).said
    const rows: ReadonlyArray<readonly [text: string, said: string]> = [
      ["npm test", "allow commands.checks"],
      ["npm run test -- src/a.test.ts", "allow commands.checks"],
      ["pytest -q", "allow commands.checks"],
      ["git status | npm test", "ask commands.other"],
      ["npm test && touch x", "ask commands.other"],
      ["npm test -- --config=evil.js", "ask commands.other"],
      ["npm test > package.json", "ask path.protected"],
      ["npm run deploy", "ask commands.other"],
      ["FOO=1 npm test", "ask commands.other"],
      ["./gradlew test", "ask commands.checks"],
      ["cd sub && ./gradlew test", "ask commands.other"]
    ]
    for (const [text, want] of rows) assert.strictEqual(said(text), want, text)
    assert.strictEqual(said("npm test", { confined: false }), "ask commands.checks")
    assert.strictEqual(said("npm test", { confined: false, agreed: true }), "allow commands.checks")
    assert.strictEqual(said("./gradlew test", { confined: false, agreed: true }), "ask commands.checks")
    for (const approvals of [Approvals.ask, Approvals.edits])
      assert.strictEqual(said("npm test", {}, approvals), "ask commands.other")
    const denying = { ...Approvals.project, commands: { ...Approvals.project.commands, deny: ["npm"] } }
    assert.strictEqual(said("npm test", {}, denying), "deny commands.deny")
    assert.strictEqual(said("npm test", {}, { ...Approvals.project, enabled: false }), "ask enabled")
    const { grants } = reasonOf("./gradlew test", Approvals.project, {
      checks: { found, confined: true, agreed: true }
    })
    assert.deepStrictEqual(grants, [])
  })
})

describe("a program of the project", () => {
  it("is covered by an entry that names it alone, and reads nothing for free", () => {
    const rows: ReadonlyArray<readonly [text: string, entry: string, said: string]> = [
      ["git status", "git", "ask commands.other"],
      ["git status", ".venv/bin/git", "allow commands.allow"],
      ["git status", "./.venv/bin/git status", "allow commands.allow"],
      ["git push", ".venv/bin/git status", "ask commands.other"],
      ["pytest -q", "pytest", "ask commands.other"],
      ["ls", "cat", "ask commands.other"],
      ["time git status", "time", "ask commands.other"],
      ["./gradlew test", "gradlew", "ask commands.other"],
      ["./gradlew test", "/elsewhere/gradlew test", "ask commands.other"],
      ["git status", "git status", "ask commands.other"],
      ["git status", "=git status", "ask commands.other"],
      ["git status | head", "git status | head", "ask commands.other"],
      [".venv/bin/git status", "=.venv/bin/git status", "allow commands.allow"],
      ["cd $X; ./gradlew test", "./gradlew", "ask commands.other"]
    ]
    for (const [text, entry, want] of rows)
      assert.strictEqual(reasonOf(text, listing(entry)).said, want, `${text}, ${entry}`)
    assert.include(reasonOf("git status", listing("git")).reason, "('.venv/bin/git' is a program of the project)")
  })

  it("is part of what a yes is kept for, so that another program of this name asks", () => {
    assert.deepStrictEqual(grantsOf("git status"), ["the command 'git status' with '.venv/bin/git' of the project"])
    assert.deepStrictEqual(grantsOf("cat a"), ["the command 'cat a'"])
    assert.deepStrictEqual(grantsOf("./gradlew test"), ["the command './gradlew test'"])
  })

  it("may come in the place of another one where PATH begins with a folder that a line writes in", () => {
    const first = { searchedFirst: ["bin"] }
    const allow = listing("cp", "make", "git", "bash")
    assert.strictEqual(reasonOf("cp a bin/make && make", allow, first).said, "ask command.order")
    assert.strictEqual(reasonOf("bash -c 'cp a b; make'", allow, first).said, "ask command.order")
    assert.strictEqual(reasonOf("make", allow, first).said, "allow commands.allow")
    assert.strictEqual(reasonOf("cat a | head", allow, first).said, "allow commands.readOnly")
  })
})
