import { ApprovalPolicy, Approvals, Grant, type McpFact } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import { input } from "./fixtures.ts"

const args = { server: "files", tool: "remove" }

const call = (mcp: Partial<McpFact.McpFact>, more: Partial<Parameters<typeof input>[0]> = {}) =>
  input({
    category: "mcp",
    args,
    approvals: Approvals.all,
    facts: { paths: [], mcp: { server: "files", name: "remove", readOnly: false, approved: true, ...mcp } },
    ...more
  })

const decide = (...given: Parameters<typeof call>) => {
  const { decision, rule } = ApprovalPolicy.decide(call(...given))
  return `${decision} ${rule}`
}

describe("a call of an MCP tool", () => {
  it("asks when the tool is not what was approved, whatever is allowed or was granted", () => {
    assert.strictEqual(decide({}), "allow mcp")
    assert.strictEqual(decide({ approved: false }), "ask mcp.changed")
    const changed = call({ approved: false })
    const granted = Grant.decide(ApprovalPolicy.decide(changed), Grant.rulesFor(changed), changed)
    assert.strictEqual(granted.decision, "ask")
    const denied = { ...Approvals.all, mcp: { "files/remove": "deny" as const } }
    assert.strictEqual(decide({ approved: false }, { approvals: denied }), "deny mcp")
  })

  it("runs in plan mode only when the user has marked the tool, and then by the settings", () => {
    // What the server says of itself arrives as nothing at all.
    assert.strictEqual(decide({}, { mode: "plan", readOnly: true }), "deny mode.plan")
    assert.strictEqual(decide({ readOnly: true }, { mode: "plan" }), "allow mcp")
    assert.strictEqual(decide({ readOnly: true }, { mode: "plan", approvals: Approvals.ask }), "ask mcp")
    assert.strictEqual(decide({ readOnly: true, approved: false }, { mode: "plan" }), "ask mcp.changed")
  })

  it("is denied with the reason when there is no such tool", () => {
    const decision = ApprovalPolicy.decide(call({ missing: "The server 'files' has no tool 'remove'." }))
    assert.deepStrictEqual([decision.decision, decision.reason], ["deny", "The server 'files' has no tool 'remove'."])
  })
})

describe("a grant for a fetch", () => {
  const fetch = (url: string) => input({ category: "fetch", facts: { paths: [], fetch: { url, addresses: [] } } })
  const decided = (url: string, rules: ReadonlyArray<Grant.Rule>) =>
    Grant.decide(ApprovalPolicy.decide(fetch(url)), rules, fetch(url)).decision

  it("holds for its host and for no other", () => {
    const rules = Grant.rulesFor(fetch("https://docs.example.com/a"))
    assert.strictEqual(decided("https://docs.example.com/b?c=1", rules), "allow")
    for (const other of [
      "https://example.com/",
      "https://docs.example.com.evil.test/",
      "https://docs.example.com:8443/"
    ]) {
      assert.strictEqual(decided(other, rules), "ask", other)
    }
    assert.strictEqual(decided("https://10.0.0.1/", Grant.rulesFor(fetch("https://10.0.0.1/"))), "deny")
    assert.strictEqual(rules.map((rule) => Grant.describe(rule, "/ws")).join(), "fetches from 'docs.example.com'")
  })
})
