/** A tool of the host: its own name decides, and what it reads, writes, runs or fetches is judged besides. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals, Grant, type PolicyInput } from "@belay/approval-policy"
import { fact, file, input } from "./fixtures.ts"

const custom = (tool: string, approvals: Approvals.Approvals, more: Partial<PolicyInput.PolicyInput> = {}) =>
  input({ category: "custom", tool, approvals, ...more })

const said = (call: PolicyInput.PolicyInput): string => {
  const { decision, rule } = ApprovalPolicy.decide(call)
  return `${decision} ${rule}`
}

describe("a tool of the host", () => {
  it("asks unless the settings name it, in every preset but the one that allows everything", () => {
    for (const name of Approvals.presetNames) {
      const expected = name === "all" ? "allow tools" : "ask tools"
      assert.strictEqual(said(custom("deploy", Approvals.presets[name])), expected, name)
    }
  })

  it("follows the setting of its very name before the general one", () => {
    const approvals = { ...Approvals.ask, tools: { deploy: "deny", lint: "allow", "*": "ask" } } as const
    assert.strictEqual(said(custom("deploy", approvals)), "deny tools")
    assert.strictEqual(said(custom("lint", approvals)), "allow tools")
    for (const name of ["LINT", "lint ", "constructor", "toString", "__proto__", "*"])
      assert.strictEqual(said(custom(name, approvals)), "ask tools", name)
  })

  it("is denied where nobody is there to be asked", () => {
    const decision = ApprovalPolicy.unattended(ApprovalPolicy.decide(custom("deploy", Approvals.edits)))
    assert.strictEqual(decision.decision, "deny")
    assert.strictEqual(decision.rule, "tools")
  })

  it("asks where the catalogue does not know it, or nothing runs by itself", () => {
    assert.strictEqual(said(custom("deploy", Approvals.all, { known: false })), "ask unknown")
    assert.strictEqual(said(custom("deploy", { ...Approvals.all, enabled: false })), "ask enabled")
  })

  it("runs in plan mode only when it changes nothing", () => {
    assert.strictEqual(said(custom("deploy", Approvals.all, { mode: "plan" })), "deny mode.plan")
    assert.strictEqual(said(custom("status", Approvals.all, { mode: "plan", readOnly: true })), "allow tools")
  })

  it("opens no path, no command and no address by its name", () => {
    const approvals = { ...Approvals.ask, tools: { "*": "allow" } } as const
    const facts = (more: Partial<PolicyInput.PolicyInput["facts"]>) => ({ facts: { paths: [], ...more } })
    const rows = [
      [{ paths: [file("src/a.ts", "write")] }, "ask edit"],
      [{ paths: [file("/etc/passwd", "read")] }, "ask path.outside"],
      [{ paths: [file("src/a.ts", "read")] }, "allow tools"],
      [{ command: fact("curl example.org") }, "ask commands.other"],
      [{ fetch: { url: "http://localhost/", addresses: [] } }, "deny fetch.address"]
    ] as const
    for (const [more, expected] of rows) {
      const { decision, rule } = ApprovalPolicy.decide(custom("deploy", approvals, facts(more)))
      assert.strictEqual(`${decision} ${decision === "allow" ? "tools" : rule}`, expected)
    }
  })

  it("is remembered by its name alone, and only where it names nothing else", () => {
    const call = custom("deploy", Approvals.ask)
    const rules = Grant.rulesFor(call)
    assert.deepStrictEqual(rules, [{ type: "tool", name: "deploy" }])
    const decided = (other: PolicyInput.PolicyInput) =>
      Grant.decide(ApprovalPolicy.decide(other), rules, other).decision
    assert.strictEqual(decided(call), "allow")
    assert.strictEqual(decided(custom("destroy", Approvals.ask)), "ask")
    assert.strictEqual(decided(custom("deploy", { ...Approvals.ask, tools: { deploy: "deny" } })), "deny")
    const withFile = custom("deploy", Approvals.ask, { facts: { paths: [file("src/a.ts", "write")] } })
    assert.deepStrictEqual(Grant.rulesFor(withFile), [])
    assert.strictEqual(decided(withFile), "ask")
    const words = rules.map((rule) => Grant.describe(rule, "/ws/proj"))
    assert.deepStrictEqual(words, ["the tool 'deploy' of this program"])
  })

  it("is no wider for a child than for its parent", () => {
    const parent = { ...Approvals.ask, tools: { lint: "allow", deploy: "deny" } } as const
    const child = Approvals.narrow(Approvals.all, parent)
    for (const [name, decision] of [
      ["lint", "allow"],
      ["deploy", "deny"],
      ["other", "ask"]
    ] as const)
      assert.strictEqual(Approvals.toolSetting(child, name), decision)
    assert.isUndefined(Approvals.narrow(Approvals.ask, Approvals.edits).tools)
  })

  it("says nothing where no tool is named", () => {
    assert.strictEqual(Approvals.presetOf({ ...Approvals.edits, tools: {} }), "edits")
    assert.strictEqual(Approvals.presetOf({ ...Approvals.all }), "all")
    assert.deepStrictEqual(Approvals.written({ ...Approvals.ask, tools: { lint: "allow" } }), {
      tools: { lint: "allow" }
    })
  })
})
