// A small MCP server without a library, whose tools and faults come from a file that it reads at each request.
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [, , file] = process.argv
const plan = () => JSON.parse(readFileSync(file, "utf8"))
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

if (plan().startup === "dies") {
  process.stderr.write("cannot find its licence\n")
  process.exit(3)
}
if (plan().startup === "dies before its last words") {
  const last = "setTimeout(() => process.stderr.write('cannot find its licence\\n'), 200)"
  spawn(process.execPath, ["-e", last], { stdio: ["ignore", "ignore", "inherit"] })
  process.exit(3)
}
if (plan().child !== undefined) {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
  writeFileSync(plan().child, `${process.pid} ${child.pid}`)
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "fixture", version: "1" }
  }),
  "tools/list": () => ({ tools: plan().tools }),
  "tools/call": ({ arguments: given, name }) => {
    const answer = plan().answers?.[name] ?? { text: JSON.stringify(given) }
    if (answer === "dies") process.exit(1)
    if (answer === "hangs") {
      if (plan().called !== undefined) writeFileSync(plan().called, "yes")
      return undefined
    }
    if (answer === "floods") {
      process.stdout.write("x".repeat(20 * 1024 * 1024))
      return undefined
    }
    if (answer === "environment") return { content: [{ type: "text", text: JSON.stringify(process.env) }] }
    return { content: [{ type: "text", text: answer.text }], isError: answer.isError === true }
  }
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) {
      if (method === "notifications/cancelled" && plan().cancelled !== undefined) writeFileSync(plan().cancelled, "yes")
      return
    }
    const make = methods[method]
    if (make === undefined) return send({ id, error: { code: -32601, message: `no ${method}` } })
    const result = make(params)
    if (result !== undefined) send({ id, result })
  })
  .on("close", () => process.exit(0))
