// A small MCP server without a library, whose tools and faults come from a file that it reads at each request.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [, , file] = process.argv
const plan = () => JSON.parse(readFileSync(file, "utf8"))
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

if (plan().startup === "dies") {
  process.stderr.write("cannot find its licence\n")
  process.exit(3)
}
if (plan().startup === "dies before its last words") {
  const last = `echo up; until [ -e "${plan().go}" ]; do :; done; echo cannot find its licence >&2`
  const child = spawn("sh", ["-c", last], { stdio: ["ignore", "pipe", "inherit"] })
  await once(child.stdout, "data")
  writeFileSync(`${plan().dying}~`, String(process.pid))
  renameSync(`${plan().dying}~`, plan().dying)
  process.exit(3)
}
if (plan().child !== undefined) {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
  writeFileSync(plan().child, `${process.pid} ${child.pid}`)
}

/** A call that goes on step by step, as often as a resource is read, to its end. */
let stepping

const step = () => {
  const { id, token } = stepping
  send({ method: "notifications/progress", params: { progressToken: token, progress: id } })
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, ...(plan().resources === undefined ? {} : { resources: {} }) },
    serverInfo: { name: "fixture", version: "1" }
  }),
  "tools/list": () => ({ tools: plan().tools }),
  "resources/list": () => ({ resources: plan().resources }),
  "resources/templates/list": () => ({ resourceTemplates: plan().templates ?? [] }),
  "resources/read": ({ uri }) => {
    if (uri === "own:end") send({ id: stepping.id, result: { content: [{ type: "text", text: "ended" }] } })
    else step()
    return { contents: [] }
  },
  "tools/call": ({ _meta, arguments: given, name }, id) => {
    const answer = plan().answers?.[name] ?? { text: JSON.stringify(given) }
    if (answer === "dies") process.exit(1)
    if (answer === "hangs") {
      if (plan().called !== undefined) writeFileSync(plan().called, "yes")
      return undefined
    }
    if (answer === "steps") {
      stepping = { id, token: _meta.progressToken }
      step()
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
    const make = method === "resources/read" && stepping === undefined ? undefined : methods[method]
    if (make === undefined) return send({ id, error: { code: -32601, message: `no ${method}` } })
    const result = make(params, id)
    if (result !== undefined) send({ id, result })
  })
  .on("close", () => process.exit(0))
