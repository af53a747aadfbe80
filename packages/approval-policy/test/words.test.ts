/** A program with its arguments, without a shell: the same rules, and nothing that a shell would make of a word. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals, CommandText, type Decision } from "@belay/approval-policy"
import { read } from "@belay/approval-policy/shell"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { listing, words } from "./fixtures.ts"

type Row = readonly [allow: string, argv: ReadonlyArray<string>, expected: Decision.Setting, rule: string]

const rows: ReadonlyArray<Row> = [
  ["git status", ["git", "status"], "allow", "commands.allow"],
  ["ls", ["ls", "-la", "a b", "$(touch x)", "*", "; rm -rf /", "~"], "allow", "commands.allow"],
  ["echo", ["echo", "> /etc/passwd", "&&", "curl"], "allow", "commands.allow"],
  ["git log", ["git", "log", "--output=x"], "ask", "commands.other"],
  ["git log", ["git", "-c", "core.pager=./x", "log"], "ask", "commands.other"],
  ["find", ["find", ".", "-exec", "touch", "x", ";"], "ask", "commands.other"],
  ["find", ["find", ".", "-delete"], "ask", "floor.outside"],
  ["ls", ["./ls"], "ask", "commands.other"],
  ["ls", ["LS"], "ask", "commands.other"],
  ["ls", ["ls -la"], "ask", "commands.other"],
  ["git push", ["git", "push", "--force"], "ask", "floor.history"],
  ["cat", ["cat", ".env"], "ask", "path.secret"],
  ["cat", ["cat", "/etc/passwd"], "ask", "path.outside"],
  ["env", ["env", "LD_PRELOAD=./x.so", "ls"], "ask", "commands.other"],
  ["bash", ["bash", "-c", "rm -rf /"], "ask", "floor.outside"],
  ["cmd", ["cmd", "/c", "dir"], "ask", "command.unreadable"],
  ["C:\\Windows\\System32\\CMD.EXE", ["C:\\Windows\\System32\\CMD.EXE", "/c", "dir"], "ask", "command.unreadable"],
  ["pwsh", ["pwsh", "-Command", "ls"], "ask", "command.unreadable"],
  ["ls", ["ls", "a\u202eb"], "ask", "command.unreadable"],
  ["ls", ["ls", "a\0b"], "deny", "invalid"]
]

const word = Arbitrary.schema(
  Schema.Literals(["ls", "if", "a b", "$x", "'", '"', "\\", "!", "{", "[", "-c", "=x", "a=b", "#", "é", ">", ";"])
)

describe("a program with arguments", () => {
  for (const [allow, argv, expected, rule] of rows) {
    it(`${expected} ${JSON.stringify(argv)} with [${allow}]`, () => {
      const decision = ApprovalPolicy.decide(words(argv, { approvals: listing(allow) }))
      assert.deepStrictEqual([decision.decision, decision.rule], [expected, rule], decision.reason)
    })
  }

  it("a text of cmd or PowerShell asks whatever is allowed, and so does a removal in any letters", () => {
    const harm = [
      ["cmd.exe", "/c", "x"],
      ["powershell", "-c", "x"],
      ["RM", "-rf", "/"],
      ["rm.exe", "-rf", "/"]
    ]
    for (const argv of harm) {
      assert.strictEqual(ApprovalPolicy.decide(words(argv, { approvals: Approvals.all })).decision, "ask", argv[0])
    }
  })

  it("in plan mode a program of the project reads nothing by the name it has", () => {
    const plan = (argv: ReadonlyArray<string>) =>
      ApprovalPolicy.decide(words(argv, { approvals: listing(argv[0] ?? ""), mode: "plan" })).decision
    assert.deepStrictEqual(
      [plan(["ls"]), plan(["/bin/ls"]), plan(["./ls"]), plan(["LS"])],
      ["allow", "allow", "deny", "deny"]
    )
  })

  it.prop(
    "its text is what bash reads as exactly these words",
    [
      word,
      Arbitrary.schema(
        Schema.Array(Schema.Literals(["", "-x", "a b", "$HOME", "`x`", "it's", "\\", "~", "*.ts", "a=b"]))
      )
    ],
    ([program, rest]) => {
      const argv = [program, ...rest]
      assert.deepStrictEqual(read(CommandText.ofWords(argv)).actions[0]?.argv, argv)
      return true
    }
  )
})
