/** Belay's own command: what is asked of the person is never answered by a command of the model. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { command, listing, words } from "./fixtures.ts"

const decide = (text: string, approvals: Approvals.Approvals = Approvals.all) =>
  ApprovalPolicy.decide(command(text, { approvals }))

const starts = [
  "belay task answer last ask-1 --allow",
  "belay trust --yes",
  "belay config set approvals all",
  "belay task mode last act",
  "belay run 'x' --approvals all",
  "belay",
  "/usr/local/bin/belay trust --yes",
  "./node_modules/.bin/belay trust --yes",
  "BELAY_HOME=/tmp/x belay trust --yes",
  "env -i belay trust --yes",
  "nohup belay trust --yes &",
  "setsid -f belay trust --yes",
  "timeout 5 belay trust --yes",
  "(belay trust --yes &)",
  "sh -c 'belay trust --yes'",
  "bash -c 'nohup setsid sh -c \"belay trust --yes\" &'",
  "eval belay trust --yes",
  "echo ID | xargs belay task answer last",
  "find . -name x -exec belay trust --yes ';'",
  "printf '1\\n' | script -qc 'belay run x' /dev/null",
  "alias b='belay trust --yes'; b",
  "npx belay trust --yes",
  "npx -y belay@1.2.3 trust --yes",
  "npx @belay/host-cli trust --yes",
  "npm exec belay trust",
  "pnpm belay trust --yes",
  "pnpm exec belay trust --yes",
  "yarn belay trust",
  "bunx belay trust",
  "node apps/host-cli/dist/belay.js trust --yes",
  "node --no-warnings ./dist/belay.js task answer last a --allow",
  "bun ./belay.js trust --yes",
  "./dist/belay.js trust --yes",
  "node -e \"require('child_process').execSync('belay trust --yes')\"",
  "python3 -c 'import os; os.system(\"belay trust --yes\")'",
  "bash <<'END'\nbelay trust --yes\nEND",
  "belay task list $(belay trust --yes)",
  "belay task list; belay trust --yes"
]

const shows = ["belay task list", "belay task show last", "belay --version", "node dist/belay.js task list"]

/** They have the word in them and start nothing of it. */
const others = [
  "grep -rn belay src",
  "cat packages/belay.md",
  "git log --grep belay",
  "pnpm --filter belay test",
  "pnpm --filter @belay/task-state test",
  "ls node_modules/@belay",
  "node scripts/belay-notes.js"
]

describe("a command that runs belay", () => {
  it.each(starts)("asks whatever the settings are: %s", (text) => {
    for (const approvals of [Approvals.all, listing("belay", `=${text}`), { ...Approvals.all, ...listing("belay") }]) {
      const decision = decide(text, approvals)
      assert.strictEqual(decision.decision, "ask", `${decision.rule}: ${decision.reason}`)
    }
    assert.strictEqual(decide(text).rule, "floor.belay")
    assert.strictEqual(ApprovalPolicy.unattended(decide(text)).decision, "deny")
  })

  it("asks without a shell, too", () => {
    for (const argv of [
      ["belay", "trust", "--yes"],
      ["node", "dist/belay.js", "trust"]
    ]) {
      assert.strictEqual(ApprovalPolicy.decide(words(argv, { approvals: Approvals.all })).rule, "floor.belay")
    }
  })

  it("and only shows something follows the ordinary rules", () => {
    for (const text of shows) assert.notStrictEqual(decide(text).rule, "floor.belay", text)
    assert.strictEqual(decide("belay task list", listing("ls")).rule, "commands.other")
    assert.strictEqual(decide("belay task list", listing("belay task list")).decision, "allow")
  })

  it("is told from one that only names it", () => {
    for (const text of others) assert.notStrictEqual(decide(text).rule, "floor.belay", text)
  })
})
