/** A word that is not known may be a flag that writes a file: it asks, unless it is one word that cannot be a flag. */
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
