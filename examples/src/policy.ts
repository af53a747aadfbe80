/** The policy alone: what would run without asking, decided from facts and settings, with nothing around it. */
import { ApprovalPolicy, Approvals, type PathFact, type PolicyInput } from "@belay/approval-policy"

const workspace = "/ws/shop"

/** Your program resolves paths; here every name is an ordinary file of the workspace. */
const fileAt = (name: string, access: "read" | "write"): PathFact.PathFact => ({
  given: name,
  displayed: `${workspace}/${name}`,
  resolved: `${workspace}/${name}`,
  relative: name,
  access,
  inside: true,
  kind: "file",
  links: 1,
  insensitive: false
})

const call = (tool: "read_file" | "write_to_file", name: string): PolicyInput.PolicyInput => ({
  tool,
  category: tool === "read_file" ? "read" : "edit",
  args: { path: name },
  mode: "act",
  readOnly: tool === "read_file",
  approvals: { ...Approvals.edits, paths: [{ pattern: "prices/**", edit: "deny" }] },
  facts: { paths: [fileAt(name, tool === "read_file" ? "read" : "write")] },
  workspace,
  known: true
})

for (const input of [
  call("read_file", "src/cart.ts"),
  call("write_to_file", "src/cart.ts"),
  call("write_to_file", "prices/2027.csv"),
  call("write_to_file", "package.json"),
  call("read_file", ".env")
]) {
  const { decision, rule } = ApprovalPolicy.decide(input)
  console.log(`${decision} (${rule})`)
}

// It prints:
// allow (read)
// allow (edit)
// deny (path.pattern)
// ask (path.protected)
// ask (path.secret)
