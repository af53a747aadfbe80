/**
 * A word that is not known may be a flag that writes a file: it asks, unless it is one word that cannot be a flag. Nor does
 * anybody read what is in a file that only another file, a program or a variable names.
 */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { command } from "./fixtures.ts"

describe("a word that is not known", () => {
  it.each([
    'git commit -m "$(date)"',
    'git commit -m "release $(cat VERSION)"',
    'git log -n "$(cat names)"',
    'git log -- "$f"',
    'git log --grep="$x"',
    'git show "HEAD~$n"',
    'find . -name "$x"',
    "echo $PATH $x",
    "npm run $x",
    "for f in src/*.ts; do echo $f; done",
    'git checkout "release-$v"',
    "python3 -m pytest $x"
  ])("writes nothing where it can be no flag, or code of the project runs: %s", (text) => {
    assert.strictEqual(ApprovalPolicy.decide(command(text, { approvals: Approvals.all })).decision, "allow")
  })
})

describe("names that are not known", () => {
  const said = (text: string) => {
    const { decision, rule } = ApprovalPolicy.decide(command(text, { approvals: Approvals.all }))
    return `${decision} ${rule}`
  }

  it.each([
    "cat $(cat list)",
    'cat "$(cat list)"',
    "xargs cat < list",
    "cat list | xargs grep x",
    "cat list | xargs -I{} cat src/{}",
    "npm test | xargs cat",
    'while read f; do cat "$f"; done < list',
    "for f in $(cat list); do cat $f; done",
    'head -5 "$f"',
    'wc -c < "$f"',
    'cd "$dir" && cat x'
  ])("ask where what is in the files is read, also where everything is allowed: %s", (text) => {
    assert.strictEqual(said(text), "ask command.opaque")
  })

  it.each([
    "git ls-files | xargs grep x",
    "git ls-files -z | xargs -0 sed -n 1p",
    "git diff --name-only -z | xargs -0 grep x",
    "rg -l x | xargs sed -n 1p",
    "rg -l x src | xargs cat",
    "find src -name '*.ts' -exec wc -l {} +",
    "cat $(git ls-files)",
    'for f in src/*.ts; do cat "$f"; done',
    'git ls-files | while read f; do wc -l "$f"; done',
    "diff <(sort a.txt) <(sort b.txt)",
    "ls -l $(which node)",
    'test -f "$f"',
    "pgrep node | xargs ps -p"
  ])("are those of a known place, or only listed: %s", (text) => {
    assert.strictEqual(said(text), "allow commands.other")
  })
})
