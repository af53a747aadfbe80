/**
 * A scripted server of OpenAI's Responses API, as far as a program of it needs one to be measured: the same scenario, the
 * same lines at stdin as `server.ts`, in a process of its own: `node responses.ts scenario.json`.
 *
 * The answer to a request follows from it: the script is that whose prompt was said last, and how many of its answers were
 * given is told by the ids of the calls. Source: https://platform.openai.com/docs/api-reference/responses-streaming
 */
import { readFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { createInterface } from "node:readline"
import type { Answer, Scenario } from "../../../packages/testkit/src/Scenario.ts"
import { pieces, TEXT_PIECE } from "../../../packages/testkit/src/internal/wire.ts"
import { now, type Served } from "./clock.ts"

interface Item {
  readonly type?: string
  readonly role?: string
  readonly call_id?: string
  readonly content?: unknown
}

const scenario = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Scenario
let received: Array<number> = []
let sent: Array<number> = []

/** The answer that comes next; a request that no script fits gets an end of the turn. */
const chosen = (input: ReadonlyArray<Item>): { readonly answer: Answer; readonly index: number } => {
  const said = input.map((item) => (item.role === "user" ? JSON.stringify(item.content) : ""))
  const found = scenario.tasks
    .map((script) => ({ script, at: said.findLastIndex((text) => text.includes(script.match.prompt ?? "")) }))
    .filter(({ at }) => at !== -1)
    .toSorted((left, right) => right.at - left.at)[0]
  if (found === undefined) return { answer: { content: [{ type: "text", text: "Done." }] }, index: 0 }
  const given = input.slice(found.at).map(({ call_id = "" }) => Number(/^call_(\d+)_/u.exec(call_id)?.[1] ?? -1))
  const index = Math.max(-1, ...given) + 1
  return { answer: found.script.answers[index] ?? { content: [{ type: "text", text: "Done." }] }, index }
}

const eventsOf = (answer: Answer, index: number): ReadonlyArray<readonly [type: string, data: object]> => {
  const id = `resp_${index}`
  const items = (answer.content ?? []).flatMap((block, at): ReadonlyArray<readonly [string, object]> => {
    if (block.type === "text") {
      const item = { type: "message", role: "assistant", id: `msg_${index}_${at}` }
      const whole = { ...item, content: [{ type: "output_text", text: block.text, annotations: [] }] }
      return [
        ["response.output_item.added", { output_index: at, item: { ...item, content: [] } }],
        ...pieces(block.text, TEXT_PIECE).map(
          (delta) =>
            ["response.output_text.delta", { item_id: item.id, output_index: at, content_index: 0, delta }] as const
        ),
        ["response.output_item.done", { output_index: at, item: whole }]
      ]
    }
    if (block.type !== "tool_use") return []
    const call = { type: "function_call", id: `fc_${index}_${at}`, call_id: `call_${index}_${at}`, name: block.name }
    const item = { ...call, arguments: JSON.stringify(block.input) }
    return [["response.output_item.done", { output_index: at, item }]]
  })
  const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 }
  return [["response.created", { response: { id } }], ...items, ["response.completed", { response: { id, usage } }]]
}

const send = async (response: ServerResponse, input: ReadonlyArray<Item>): Promise<void> => {
  const { answer, index } = chosen(input)
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const [type, data] of eventsOf(answer, index)) {
    if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs))
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  }
  response.end(() => sent.push(now()))
}

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  const isAsked = request.method === "POST" && request.url?.endsWith("/responses") === true
  if (isAsked) received.push(now())
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    if (!isAsked) return response.writeHead(404).end("{}")
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input: ReadonlyArray<Item> }
    return void send(response, input)
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
createInterface({ input: process.stdin })
  .on("line", () => {
    const served: Served = { received, sent }
    process.stdout.write(`${JSON.stringify(served)}\n`)
    received = []
    sent = []
  })
  .on("close", () => process.exit(0))
