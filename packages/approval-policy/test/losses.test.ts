/** What throws away work that is kept nowhere else asks, unless the entry itself names it. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, CommandRule } from "@belay/approval-policy"
import { command, fact, listing, words } from "./fixtures.ts"

type Row = readonly [entry: string, loses: ReadonlyArray<string>, keeps: ReadonlyArray<string>]

const rows: ReadonlyArray<Row> = [
  [
    "git reset",
    [
      "git reset --hard",
      "git reset --hard HEAD~1",
      "git reset -q --hard",
      "git reset --merge",
      "git reset --keep HEAD~1",
      "git reset --har"
    ],
    ["git reset", "git reset --soft HEAD~1", "git reset -q HEAD src/a.ts"]
  ],
  [
    "git checkout",
    [
      "git checkout .",
      "git checkout -- .",
      "git checkout -- src/a.ts",
      "git checkout src/a.ts",
      "git checkout HEAD src/a.ts",
      "git checkout HEAD~1 -- src",
      "git checkout -f main",
      "git checkout --force main",
      "git checkout -qf main",
      "git checkout -B main",
      "git checkout ':/'",
      "git checkout src/",
      "git checkout --ours src/a.ts",
      "git checkout -p",
      "git checkout --pathspec-from-file=x"
    ],
    [
      "git checkout main",
      "git checkout -b fix",
      "git checkout -b fix origin/main",
      "git checkout --detach HEAD~1",
      "git checkout -"
    ]
  ],
  [
    "git switch",
    ["git switch -f main", "git switch --force main", "git switch --discard-changes main", "git switch -C main"],
    ["git switch main", "git switch -c fix", "git switch -"]
  ],
  [
    "git restore",
    [
      "git restore .",
      "git restore src/a.ts",
      "git restore -SW src/a.ts",
      "git restore --worktree --staged .",
      "git restore -s HEAD~1 a"
    ],
    ["git restore --staged .", "git restore -S src/a.ts"]
  ],
  [
    "git clean",
    [
      "git clean -f",
      "git clean -fdx",
      "git clean -xdf",
      "git clean --force",
      "git clean -d -f",
      "git clean -i",
      "git clean -x"
    ],
    ["git clean -n", "git clean -ndx", "git clean --dry-run"]
  ],
  [
    "git stash",
    ["git stash drop", "git stash clear", "git stash drop stash@0", "git stash branch x", "git stash store x"],
    ["git stash", "git stash push -m wip", "git stash pop", "git stash list"]
  ],
  [
    "git branch",
    ["git branch -D x", "git branch -f x HEAD", "git branch -d --force x", "git branch -M a b"],
    ["git branch x"]
  ],
  ["git tag", ["git tag -d v1", "git tag -f v1"], ["git tag v1"]],
  [
    "git worktree",
    ["git worktree remove x", "git worktree remove --force x", "git worktree prune"],
    ["git worktree list"]
  ],
  [
    "git worktree remove",
    ["git worktree remove --force x", "git worktree remove -f x"],
    ["git worktree remove dist/x"]
  ],
  [
    "git rebase",
    ["git rebase --abort", "git rebase --skip", "git rebase --quit"],
    ["git rebase main", "git rebase --continue"]
  ],
  ["git merge", ["git merge --abort", "git merge --quit"], ["git merge main", "git merge --continue"]],
  ["git cherry-pick", ["git cherry-pick --abort", "git cherry-pick --skip"], ["git cherry-pick abc1234"]],
  ["git revert", ["git revert --abort", "git revert --skip"], ["git revert --no-edit HEAD"]],
  ["git rm", ["git rm -f a.txt", "git rm -rf docs/a"], ["git rm a.txt", "git rm --cached a.txt"]],
  ["git mv", ["git mv -f a b"], ["git mv a.txt b.txt"]],
  ["git fetch", ["git fetch -f origin", "git fetch origin +a:b"], ["git fetch origin --prune"]],
  ["docker rm", ["docker rm -f web", "docker rm -v web", "docker rm --volumes web"], ["docker rm web"]],
  ["docker compose", ["docker compose down", "docker compose rm"], []],
  [
    "docker compose down",
    ["docker compose down -v", "docker compose down --volumes", "docker compose down --rmi all"],
    ["docker compose down"]
  ],
  ["docker system", ["docker system prune", "docker system prune -af"], []],
  ["docker volume", ["docker volume rm x", "docker volume prune"], []],
  ["hg", ["hg revert --all", "hg purge", "hg update -C", "hg strip x"], []],
  ["svn", ["svn revert -R .", "svn revert a"], []],
  ["prisma", ["prisma migrate reset", "prisma db push --force-reset"], ["prisma generate"]],
  ["rails", ["rails db:drop", "rails db:reset"], ["rails routes"]],
  ["cargo clean", [], ["cargo clean"]],
  ["npm ci", [], ["npm ci"]]
]

describe("an entry that names no loss", () => {
  for (const [entry, loses, keeps] of rows) {
    const decide = (text: string) => ApprovalPolicy.decide(command(text, { approvals: listing(entry) })).decision
    it(`"${entry}" does not cover what loses work, and covers the rest`, () => {
      assert.deepStrictEqual(
        loses.filter((text) => decide(text) === "allow"),
        []
      )
      assert.deepStrictEqual(
        keeps.filter((text) => decide(text) !== "allow"),
        []
      )
      const plain = loses.filter((text) => /^[\w ./:=@+,-]+$/.test(text))
      const ran = plain.filter(
        (text) => ApprovalPolicy.decide(words(text.split(" "), { approvals: listing(entry) })).decision === "allow"
      )
      assert.deepStrictEqual(ran, [])
    })
  }

  it("is offered with the loss in it, and then covers it", () => {
    const all = rows.flatMap(([entry, loses]) => loses.map((text) => [entry, text] as const))
    const silent = all.filter(([entry, text]) => {
      const [offered = "", ...others] = CommandRule.suggestions(fact(text), listing(entry))
      const allowed = ApprovalPolicy.decide(command(text, { approvals: listing(offered, ...others) }))
      return allowed.decision !== "allow" && allowed.rule === "commands.other"
    })
    assert.deepStrictEqual(silent, [])
  })

  it("asks for the name of a branch only where it is the name of a file, too", () => {
    const call = command("git checkout fix-parser", { approvals: listing("git checkout") })
    const { command: given } = call.facts
    const absent =
      given?.files.map((facts) => facts.map((one) => ({ ...one, kind: "absent" as const, links: 0 }))) ?? []
    const without = {
      ...call,
      facts: { paths: [], ...(given === undefined ? {} : { command: { ...given, files: absent } }) }
    }
    assert.strictEqual(ApprovalPolicy.decide(call).decision, "ask")
    assert.strictEqual(ApprovalPolicy.decide(without).decision, "allow")
  })
})
