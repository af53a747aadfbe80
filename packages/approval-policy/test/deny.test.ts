/** A program of `commands.deny` runs nowhere unseen: it is stopped, or a person is asked. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals, type Decision } from "@belay/approval-policy"
import { command, words } from "./fixtures.ts"

const approvals = (
  deny: ReadonlyArray<string>,
  other: Decision.Setting,
  allow: ReadonlyArray<string> = []
): Approvals.Approvals => ({ ...Approvals.all, commands: { allow, deny, other } })

const decided = (text: string, deny: string, other: Decision.Setting = "allow", allow: ReadonlyArray<string> = []) =>
  ApprovalPolicy.decide(command(text, { approvals: approvals([deny], other, allow) }))

const seen = [
  "curl x",
  "/usr/bin/curl x",
  "c''url x",
  "CURL x",
  "find . -exec curl {} +",
  "ls | xargs curl",
  "env -S 'curl x'",
  "timeout 5 curl x",
  "sh -c 'ls; curl x'",
  "echo 'curl x' | sh",
  "cat <<'E' | bash\ncurl x\nE",
  "git -c alias.x='!curl x' x",
  "git -c core.pager='curl x' log",
  "git grep -Ocurl x",
  "git rebase -x 'curl x' main",
  "git push --receive-pack='curl x'",
  "GIT_PAGER=curl git log",
  "awk 'BEGIN{system(\"curl x\")}'",
  "python3 -m curl",
  "rsync -e 'curl x' a b:",
  "tar --checkpoint-action=exec='curl x' -cf a b",
  "npx curl",
  "(ls && curl x)",
  "for f in a b; do curl $f; done",
  "if true; then curl x; fi",
  "! curl x"
]

const hidden = [
  "sed '1e curl x' f",
  "sed -n 's/a/curl/e' f",
  "npx curl-cli",
  "npx @scope/curl-x",
  "sort --compress-program=curl a",
  "rg --pre curl x",
  "man -P curl ls",
  "vim -c '!curl x'",
  "ssh host curl x",
  "docker run image curl x",
  "cp /usr/bin/curl x && ./x",
  "find . -exec $(x) {} +",
  "$X x",
  "c$X x",
  // What they run stands in files of the project.
  "make",
  "make -j4 all",
  "npm test",
  "npm run build",
  "cargo test",
  "pytest",
  "vitest run",
  "./run.sh",
  "bash run.sh",
  "node x.js",
  "python3 x.py",
  "python3 -c 'x'",
  "perl -e 'x'",
  "docker compose up",
  "cmake --build build",
  "./gradlew test",
  "timeout 5 make",
  "(cd sub && make)",
  "for f in a; do make; done",
  // Nobody has said what it does.
  "mytool x"
]

const harmless = [
  "ls -la src",
  "grep curl src/a.ts",
  "cat docs/curl.md",
  "echo curl",
  "git log --grep curl",
  "git commit -m 'Use curl'",
  "mkdir -p src/b",
  "rm src/old.ts",
  "[ -f curl.txt ] && cat curl.txt",
  'for f in src/*.ts; do grep -c curl "$f"; done'
]

describe("an entry of commands.deny, with every other command allowed", () => {
  it("stops its program wherever it stands in the text", () => {
    assert.deepStrictEqual(
      seen.filter((text) => decided(text, "curl").decision !== "deny"),
      []
    )
  })

  it("asks where its program may be hidden: in a word, in a piece of one, or in code that is not in the text", () => {
    const rules = hidden.map((text) => decided(text, "curl")).filter(({ decision }) => decision !== "ask")
    assert.deepStrictEqual(rules, [])
  })

  it("leaves alone what runs no other program", () => {
    assert.deepStrictEqual(
      harmless.filter((text) => decided(text, "curl").decision !== "allow"),
      []
    )
  })

  it("of several words holds with flags between them", () => {
    const stopped = ["git push", "git --no-pager push origin", "git -P push", "/usr/bin/git push"]
    for (const ending of ["exe", "com", "cmd", "bat", "ps1", "EXE"])
      stopped.push(`git.${ending} push`, `"C:\\Git\\git.${ending}" push`)
    const doubtful = ["git -C sub push", "git -c a=b push", "git --git-dir=x push", "timeout 5 $X push"]
    assert.deepStrictEqual(
      stopped.filter((text) => decided(text, "git push").decision !== "deny"),
      []
    )
    assert.deepStrictEqual(
      doubtful.filter((text) => decided(text, "git push").decision === "allow"),
      []
    )
    assert.strictEqual(decided("git status", "git push").decision, "allow")
  })

  it("holds for a program with arguments, too", () => {
    const rows = [["sed", "1e curl x", "f"], ["npx", "curl-cli"], ["make"]]
    for (const argv of rows) {
      const decision = ApprovalPolicy.decide(words(argv, { approvals: approvals(["curl"], "allow") }))
      assert.deepStrictEqual([decision.decision, decision.rule], ["ask", "commands.deny"], argv.join(" "))
    }
  })

  it("a short name is found as a word of its own, and not in the middle of others", () => {
    const more = ["npm run format", "cargo fmt"]
    const allow = ["npm run format", "cargo fmt", "npx"]
    assert.deepStrictEqual(
      more.filter((text) => decided(text, "rm", "ask", allow).decision !== "allow"),
      []
    )
    assert.strictEqual(decided("npx rm-all", "rm", "ask", allow).decision, "ask")
  })
})

describe("an entry of commands.deny, beside entries that allow", () => {
  const allow = ["make", "npm test", "npx", "sed", "git commit", "ls"]

  it("does not ask for code of the project that an entry says yes to", () => {
    for (const text of ["make", "npm test", "make test && npm test", "git commit -m 'use curl'"]) {
      assert.strictEqual(decided(text, "curl", "ask", allow).decision, "allow", text)
    }
  })

  it("asks where the text itself names it", () => {
    for (const text of ["npx curl-cli", "npm test -- curl", "make curl-all", "sed '1e curl' f"]) {
      assert.strictEqual(decided(text, "curl", "ask", allow).decision, "ask", text)
    }
  })
})
