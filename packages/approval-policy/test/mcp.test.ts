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

describe("a resource of an MCP server", () => {
  const decided = (mcp: Readonly<Record<string, Approvals.Setting>>, args: object, fact?: Partial<McpFact.McpFact>) => {
    const facts =
      fact === undefined ? {} : { mcp: { server: "files", name: "x", readOnly: false, approved: true, ...fact } }
    const approvals = { ...Approvals.ask, mcp }
    return ApprovalPolicy.decide(input({ category: "mcp", args, approvals, facts: { paths: [], ...facts } })).decision
  }
  const resource = (uri: string) => ({ server: "files", uri })
  const strange = ["remove", "*", "files/remove", "resource:files/remove", "/", "a b", "..", "__proto__", "constructor"]

  it("is never judged by what is said of a tool, whatever its address", () => {
    for (const uri of strange) {
      for (const given of [undefined, { resource: true, name: uri }]) {
        const tools = { [`files/${uri}`]: "allow", "files/*": "allow", "*": "ask" } as const
        assert.strictEqual(decided(tools, resource(uri), given), "ask", uri)
        assert.strictEqual(decided({ [`resource:files/${uri}`]: "allow" }, resource(uri), given), "allow", uri)
        assert.strictEqual(decided({ "resource:files/*": "allow" }, resource(uri), given), "allow", uri)
        assert.strictEqual(decided({ "*": "allow", "files/*": "deny" }, resource(uri), given), "deny", uri)
      }
    }
  })

  it("lends its setting to no tool, whatever that is called", () => {
    for (const tool of strange) {
      const resources = { [`resource:files/${tool}`]: "allow", "resource:files/*": "allow", "*": "ask" } as const
      for (const server of ["files", "resource:files", "resource:files/x"]) {
        assert.strictEqual(decided(resources, { server, tool }), "ask", `${server} ${tool}`)
      }
    }
  })

  it("is told from a tool by the fact, and a call that names both without one is denied", () => {
    const both = { server: "files", tool: "remove", uri: "remove" }
    const mcp = { "files/remove": "allow", "*": "ask" } as const
    assert.strictEqual(decided(mcp, both), "deny")
    assert.strictEqual(decided(mcp, both, { resource: true }), "ask")
    assert.strictEqual(decided(mcp, both, {}), "allow")
  })

  it("that is allowed for long is this address of this definition of the server, and no tool", () => {
    const asked = (args: object, mcp: Partial<McpFact.McpFact>) =>
      input({
        category: "mcp",
        args,
        approvals: Approvals.ask,
        facts: { paths: [], mcp: { server: "files", name: "x", readOnly: false, approved: true, ...mcp } }
      })
    const given = asked(resource("remove"), { resource: true, definition: "one" })
    const rules = Grant.rulesFor(given)
    const yes = (call: ReturnType<typeof asked>) =>
      Grant.decide(ApprovalPolicy.decide(call), rules, call, "always").decision
    assert.strictEqual(yes(given), "allow")
    for (const call of [
      asked(resource("remove"), { resource: true, definition: "two" }),
      asked(resource("remove"), { resource: true }),
      asked(resource("other"), { resource: true, definition: "one" }),
      asked({ server: "files", tool: "remove" }, { definition: "one" })
    ]) {
      assert.strictEqual(yes(call), "ask", JSON.stringify(call.args))
    }
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
