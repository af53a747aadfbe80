/** Programs that only read, and only in the workspace, need no entry, unless the setting asks. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { command, file, listing, words } from "./fixtures.ts"

const decide = (text: string, approvals: Approvals.Approvals = Approvals.ask, mode: "act" | "plan" = "act") =>
  ApprovalPolicy.decide(command(text, { approvals, mode }))

const asks: Approvals.Approvals = { ...Approvals.ask, commands: { ...Approvals.ask.commands, readOnly: "ask" } }

const reads = [
  "ls -la src",
  "cat src/a.ts | head -5",
  "tail -n 5 app.log",
  "wc -l src/a.ts",
  "pwd",
  "which node",
  "grep -n TODO src/a.ts",
  "rg -n TODO src",
  "find src -name '*.ts'",
  "find src -name '*.ts' -exec grep -l TODO {} +",
  'while read -r line; do echo "> $line"; done < src/a.txt',
  "seq 1 3 | while read n; do echo $n; done",
  "dirname $(realpath src/a.ts)",
  "npm pkg get scripts",
  "gcc --version",
  "git status",
  "git diff HEAD~1",
  "git log --oneline -5",
  "git show HEAD",
  "git branch -a",
  "git blame src/a.ts",
  "[ -f x ] && cat x",
  "(cd src && ls)",
  "for f in a b; do cat $f; done",
  "cat <<'E'\nx\nE",
  "timeout 5 ls",
  "NO_COLOR=1 ls"
]

const others = [
  "find src -exec sh -c 'cat {}' ;",
  "find . -exec cat {} + -delete",
  "npm pkg set scripts.test=x",
  "npm pkg get --prefix ../x scripts",
  "pnpm pkg get scripts",
  "./gcc --version",
  "gcc --version -wrapper x",
  'while read -r f; do cat "$f"; done < list.txt',
  "cat list.txt | while read f; do cat $f; done",
  "while read -r f; do $f; done < list.txt",
  "while read -r f; do touch x; done < list.txt",
  "while read -r PATH; do ls; done < list.txt",
  "while read -u 3 x; do ls; done",
  "while read x y; do ls; done",
  "while X=1 read x; do ls; done",
  "while read x; ls; do ls; done",
  "until read x; do ls; done",
  "while true; do ls; done",
  "while read x && rm y; do ls; done",
  "touch x",
  "npm test",
  "git commit -m x",
  "find src -delete",
  "sed -i s/a/b/ src/a.ts",
  "git diff --output=x",
  "sort -o x a",
  "strings @list",
  "xxd -ps a new",
  "xxd -ps .env",
  "git config edit",
  "cat /etc/passwd",
  "ls ..",
  "cat ~/notes",
  "grep -r x /",
  "cat .env",
  "head -c 10 .ssh/id_rsa",
  "cd /tmp && ls",
  "ls $X",
  "cat $(ls)",
  "ls &",
  "LS",
  "./ls",
  "printenv",
  "env",
  "ps aux",
  "lsof",
  "id",
  "vim",
  "LD_PRELOAD=./x ls",
  "git -c core.pager=./x log",
  "xargs rm",
  "find src -exec xxd {} +",
  "find src -name '*.c' | xargs uniq",
  "for f in $(git ls-files src); do uniq $f; done",
  "timeout 5 rm x",
  "for f in a b; do rm $f; done"
]

describe("a program that only reads", () => {
  it("runs without an entry, in both modes and without a shell", () => {
    for (const text of reads) {
      for (const mode of ["act", "plan"] as const) {
        const { decision, reason, rule } = decide(text, Approvals.ask, mode)
        assert.deepStrictEqual([text, decision, rule], [text, "allow", "commands.readOnly"], reason)
      }
      assert.strictEqual(decide(text, asks).decision, "ask", text)
    }
    const without = ApprovalPolicy.decide(words(["git", "log", "--oneline"], { approvals: Approvals.ask }))
    assert.deepStrictEqual([without.decision, without.rule], ["allow", "commands.readOnly"])
  })

  it("beside one that an entry lists needs none of its own", () => {
    assert.strictEqual(decide("npm test 2>&1 | tail -20", listing("npm test")).decision, "allow")
    assert.strictEqual(decide("npm test && rm x", listing("npm test")).decision, "ask")
  })

  it("asks outside of the workspace, for secrets, and where more may happen", () => {
    assert.deepStrictEqual(
      others.filter((text) => decide(text).decision !== "ask"),
      []
    )
  })

  it("asks for what .belayignore leaves out, and for a link that leads outside", () => {
    const call = command("cat notes.md", { approvals: Approvals.ask })
    const { command: given } = call.facts
    if (given === undefined) return assert.fail("no command")
    const looked = (more: Parameters<typeof file>[2]) =>
      ApprovalPolicy.decide({
        ...call,
        facts: { paths: [], command: { ...given, files: given.files.map(() => [file("notes.md", "read", more)]) } }
      })
    assert.strictEqual(looked({}).decision, "allow")
    assert.strictEqual(looked({ ignored: "itself" }).rule, "path.ignored")
    assert.strictEqual(looked({ resolved: "/etc/passwd" }).decision, "ask")
    const git = command("git status", { approvals: Approvals.ask })
    const configured =
      git.facts.command === undefined ? {} : { command: { ...git.facts.command, gitPrograms: ["core.fsmonitor"] } }
    assert.strictEqual(ApprovalPolicy.decide({ ...git, facts: { paths: [], ...configured } }).rule, "command.git")
  })

  it("takes an entry of plain words for a rule where the command is just these, too", () => {
    const under = (text: string, entry: string, more: object) => {
      const approvals = { ...Approvals.ask, commands: { ...Approvals.ask.commands, allow: [entry] } }
      const call = command(text, { approvals })
      const { command: given } = call.facts
      if (given === undefined) return assert.fail("no command")
      return ApprovalPolicy.decide({ ...call, facts: { paths: [], command: { ...given, ...more } } }).rule
    }
    const programs = { gitPrograms: ["filter.t.clean"] }
    assert.strictEqual(under("git diff", "git diff", {}), "commands.allow")
    assert.strictEqual(under("git diff", "git diff", programs), "command.git")
    assert.strictEqual(under("git diff --stat", "git diff", programs), "command.git")
    assert.strictEqual(under("git diff", "=git diff", programs), "commands.allow")
    const elsewhere = { files: [[file("notes.md", "read", { resolved: "/etc/passwd" })]] }
    assert.strictEqual(under("cat notes.md", "cat notes.md", elsewhere), "path.outside")
    assert.strictEqual(under("cat notes.md", "=cat notes.md", elsewhere), "commands.allow")
  })

  it("follows what the settings say of reads, and never passes a denial", () => {
    assert.strictEqual(decide("cat src/a.ts", { ...Approvals.ask, read: "ask" }).decision, "ask")
    assert.strictEqual(decide("git status", { ...Approvals.ask, read: "deny" }).decision, "ask")
    assert.strictEqual(decide("git status", { ...Approvals.ask, enabled: false }).decision, "ask")
    const denied = { ...Approvals.ask, commands: { allow: [], deny: ["git", "cat src"], other: "ask" as const } }
    assert.strictEqual(decide("git status", denied).decision, "deny")
    const hidden = { ...Approvals.ask, paths: [{ pattern: "src/**", read: "deny" as const }] }
    assert.strictEqual(decide("cat src/a.ts", hidden).decision, "deny")
  })

  it("writes where its output goes as edits may, and only there", () => {
    const { edits } = Approvals
    for (const text of ["ls src > list.txt", "echo x >> src/a.ts", "cat <<'E' > src/b.ts\nx\nE", "ls &> log.txt"]) {
      assert.strictEqual(decide(text).decision, "ask", text)
      assert.strictEqual(decide(text, edits).decision, "allow", text)
      assert.strictEqual(decide(text, edits, "plan").decision, "deny", text)
      assert.strictEqual(decide(text, { ...edits, paths: [{ pattern: "**", edit: "ask" }] }).decision, "ask", text)
      const strict = { ...edits, commands: { ...edits.commands, readOnly: "ask" as const } }
      assert.strictEqual(decide(text, strict).decision, "ask", text)
    }
    for (const text of [
      "echo x > package.json",
      "echo x > .git/config",
      "echo x > ../a",
      "echo x > /tmp/a",
      "echo x > ~/.bashrc",
      "cat .env > a",
      "echo x > $y",
      "ls <> a",
      "npm test > a",
      "touch a > b",
      "id > a",
      'echo \'{"$schema":"https://x.example/?d=1"}\' > a.json'
    ])
      assert.strictEqual(decide(text, edits).decision, "ask", text)
    assert.strictEqual(decide("ls src > /dev/null 2>&1").decision, "allow")
  })

  it("that takes all of a folder asks where a pattern in paths does not let it be read", () => {
    const closed = { ...Approvals.ask, paths: [{ pattern: "src/keys/**", read: "deny" as const }] }
    for (const text of [
      "grep -rn x src",
      "rg x",
      "find src -exec cat {} +",
      "find . | xargs cat",
      "git ls-files | xargs cat"
    ]) {
      assert.strictEqual(decide(text).decision, "allow", text)
      assert.strictEqual(decide(text, closed).rule, "path.pattern", text)
    }
    for (const text of ["grep -rn x docs", "find src", "ls -R src", "cat src/a.ts"])
      assert.strictEqual(decide(text, closed).decision, "allow", text)
  })

  it.effect("is a setting that old settings need not have, and a child has the stricter of two", () =>
    Effect.gen(function* () {
      const old = yield* Approvals.decode({ commands: { allow: [], deny: [], other: "ask" } })
      assert.strictEqual(decide("ls", old).decision, "allow")
      const strict = yield* Approvals.decode({ commands: { readOnly: "ask" } })
      assert.strictEqual(decide("ls", strict).decision, "ask")
      for (const [child, parent] of [
        [old, strict],
        [strict, old]
      ] as const) {
        assert.strictEqual(decide("ls", Approvals.narrow(child, parent)).decision, "ask")
      }
      const wrong = yield* Effect.flip(Approvals.decode({ commands: { readOnly: "deny" } }))
      assert.strictEqual(wrong.field, "commands.readOnly")
    })
  )
})
