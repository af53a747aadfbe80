/**
 * What a word stands for is known only where somebody has looked: a pattern that was not looked for, and a name without a
 * fact, ask, whatever the other facts say.
 */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals, type PathFact } from "@belay/approval-policy"
import { read } from "@belay/approval-policy/shell"
import { command, cwd, file, listing } from "./fixtures.ts"

const programs = "cat head mytool npm ls grep rm cp find sort cd git sed timeout for echo env [ W".split(" ")

const settings: ReadonlyArray<readonly [name: string, approvals: Approvals.Approvals]> = [
  ["entries", { ...listing(...programs), edit: "allow" }],
  ["edits", Approvals.edits],
  ["everything inside", { ...Approvals.all, readOutside: "ask", editOutside: "ask" }]
]

/** `W` is the word. Each gives it to a program that would open it, or may. */
const lines = [
  "cat W",
  "head -5 W",
  "mytool W",
  "npm test -- W",
  "cat < W",
  "grep x W",
  "echo x > W",
  "rm W",
  "cp W b",
  "cp a W",
  "find W",
  "sort -o W a",
  "git diff W",
  "git add W",
  "sed -i s/a/b/ W",
  "timeout 5 cat W",
  "cd W && cat a",
  'for f in W; do cat "$f"; done'
]

type Look = (given: string, access: PathFact.PathFact["access"]) => ReadonlyArray<PathFact.PathFact>

const decided = (text: string, approvals: Approvals.Approvals, look: Look) => {
  const reading = read(text, { home: "/users/me", folder: cwd().resolved })
  const files = reading.targets.map(({ path, role }) =>
    path === null ? [] : look(path, role === "read" || role === "mention" || role === "program" ? "read" : "write")
  )
  const facts = { paths: [], command: { text, cwd: cwd(), reading, files } }
  return ApprovalPolicy.decide({ ...command(text, { approvals }), facts }).decision
}

const allowed = (words: ReadonlyArray<string>, look: Look): ReadonlyArray<string> =>
  settings.flatMap(([name, approvals]) =>
    lines.flatMap((line) =>
      words
        .map((word) => line.replaceAll("W", word))
        .filter((text) => decided(text, approvals, look) === "allow")
        .map((text) => `${name}: ${text}`)
    )
  )

const globs = ["inn*", "in?ocent.txt", "./*", "sub/*.txt", "*/", "**/x", "$PWD/*", "-f*", "*"]
const others = [
  "[i]nn.txt",
  "{a,b}.txt",
  "a{1..3}",
  "{inn*,b}",
  "~root/x",
  "$X",
  "${X}/a",
  "+(a|b)",
  "@(a)",
  "$(y)",
  "`y`"
]

/** Takes the word for the name of a file of the workspace, as who forgets that it is a pattern. */
const taken: Look = (given, access) => [file(given, access, given.startsWith("/") ? {} : { kind: "absent", links: 0 })]

describe("a word that nobody has looked for", () => {
  it("asks where it is a pattern and its fact is the pattern itself", () => {
    assert.deepStrictEqual(
      allowed(globs, taken).filter((text) => !text.includes("-f*")),
      []
    )
  })

  it("asks where it has no fact, be it a pattern or a name", () => {
    assert.deepStrictEqual(
      allowed([...globs, "plain.txt", "~/x", "$HOME/x", "\\*", "'*'", "/etc/passwd"], () => []),
      []
    )
  })

  it("asks where a rule would have to know what the shell makes of it", () => {
    const rules = settings.slice(0, 2)
    const found = allowed(others, taken).filter((text) => rules.some(([name]) => text.startsWith(`${name}:`)))
    assert.deepStrictEqual(found, [])
  })

  it("is decided by what was found where somebody has looked", () => {
    const found: Look = (given, access) => [
      given.includes("*") ? { ...file("sub/b.txt", access), matched: true } : file(given, access)
    ]
    assert.strictEqual(decided("cat sub/*.txt", Approvals.edits, found), "allow")
    assert.strictEqual(decided("cat plain.txt", Approvals.edits, found), "allow")
  })

  it("counts a hazard that depends on a pattern which nobody has looked for", () => {
    const absent: Look = (given, access) => [file(given, access, { kind: "absent", links: 0 })]
    assert.notStrictEqual(decided("git checkout inn*", listing("git checkout"), absent), "allow")
  })
})
