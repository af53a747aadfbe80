/** What of git starts a program that signs, or checks a signature, asks; what only looks like it does not. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals, CommandRule } from "@belay/approval-policy"
import { command, fact, listing } from "./fixtures.ts"

const decide = (text: string, approvals: Approvals.Approvals) =>
  ApprovalPolicy.decide(command(text, { approvals })).decision

describe("signatures of git", () => {
  it("make no reader of what only shows something", () => {
    for (const text of ["git log --show-signature", "git log --format=%G?", "git branch --sort=signature"]) {
      assert.isFalse(CommandRule.isReadOnly(fact(text)), text)
      assert.strictEqual(decide(text, listing("git log", "git branch")), "ask", text)
    }
  })

  it("have to be in an entry", () => {
    assert.strictEqual(decide("git commit -S -m x", listing("git commit")), "ask")
    assert.strictEqual(decide("git tag -s v2 -m x", listing("git tag")), "ask")
  })

  it.each([
    "git tag -a v9 -m x",
    "git tag -am 'signed -s' v9",
    "git tag -l 'v*'",
    "git tag --sort=-version:refname",
    "git tag --sort -creatordate",
    "git tag -n5",
    "git tag -d v1",
    "git tag -m -s v9",
    "git commit -m '-S %G?'",
    "git commit -m 'Sign in'",
    "git commit -am 'feat: sign in'",
    "git commit -mSign",
    "git commit -s -m x",
    "git commit --signoff -m x",
    "git commit --no-gpg-sign -m x",
    "git -c commit.gpgsign=false commit -m x",
    "git -c commit.gpgSign=false tag -a v2 -m x",
    "git -c user.name=a commit -m x",
    "git merge --no-verify topic",
    "git merge --verify topic",
    "git log -S foo",
    "git log -SFoo --oneline",
    "git log --graph --grep=sign",
    "git log --format='%h %an %s'",
    "git log --pretty='format:%h %ad (%ar)' --date=short",
    "git diff -S x",
    "git stash -S",
    "git restore -S src/a.ts",
    "git branch --sort=-committerdate",
    "git for-each-ref --format='%(refname) %(contents:signature)'",
    "git grep '%G'",
    "git rebase main",
    "git rebase --signoff main",
    "git cherry-pick -x topic",
    "git add -A",
    "git push origin main",
    "GIT_CONFIG_GLOBAL=/dev/null git log",
    "git st -s"
  ])("are not what this is about: %s", (text) => {
    assert.strictEqual(decide(text, Approvals.all), "allow")
  })
})
