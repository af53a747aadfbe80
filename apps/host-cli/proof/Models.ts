/** Services of models for programs that are not ours: what they are to do next is given, and what they were told is kept. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A call of a tool by the end of its name, or words. */
export type Step = { readonly tool: string; readonly input: object; readonly id: string } | { readonly text: string }

export interface Models {
  readonly url: string
  /** What the next program is to do; afterwards it says that it has finished. */
  readonly next: (steps: ReadonlyArray<Step>) => void
  /** The end of each request since then. */
  readonly heard: () => ReadonlyArray<string>
  readonly close: () => void
}

interface Tool {
  readonly name?: string
  readonly type?: string
  readonly tools?: ReadonlyArray<{ readonly name: string }>
}

interface Asked {
  readonly model?: string
  readonly tools?: ReadonlyArray<Tool>
  readonly messages?: ReadonlyArray<unknown>
  readonly input?: ReadonlyArray<unknown>
}

const bodyOf = (request: IncomingMessage): Promise<Asked> =>
  new Promise((resolve) => {
    let body = ""
    request.on("data", (piece) => (body += String(piece)))
    request.on("end", () => resolve(body === "" ? {} : (JSON.parse(body) as Asked)))
  })

type Event = readonly [type: string, data: object]

const stream = (response: ServerResponse, events: ReadonlyArray<Event>): void => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const [type, data] of events) response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  response.end()
}

const messages = (step: Step, model: string): ReadonlyArray<Event> => {
  const isCall = "tool" in step
  const block = isCall
    ? { type: "tool_use", id: step.id, name: `mcp__belay__${step.tool}`, input: {} }
    : { type: "text", text: "" }
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(step.input) }
    : { type: "text_delta", text: step.text }
  const usage = { input_tokens: 5, output_tokens: 1 }
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null, usage }
  return [
    ["message_start", { message }],
    ["content_block_start", { index: 0, content_block: block }],
    ["content_block_delta", { index: 0, delta }],
    ["content_block_stop", { index: 0 }],
    ["message_delta", { delta: { stop_reason: isCall ? "tool_use" : "end_turn" }, usage: { output_tokens: 3 } }],
    ["message_stop", {}]
  ]
}

const responses = (step: Step, tools: ReadonlyArray<Tool>): ReadonlyArray<Event> => {
  const holds = (tool: Tool) => "tool" in step && tool.tools?.some(({ name }) => name.endsWith(step.tool))
  const space = tools.find(holds)
  const item =
    "tool" in step
      ? {
          type: "function_call",
          id: `fc_${step.id}`,
          call_id: step.id,
          name: space?.tools?.find(({ name }) => name.endsWith(step.tool))?.name ?? `mcp__belay__${step.tool}`,
          ...(space?.name === undefined ? {} : { namespace: space.name }),
          arguments: JSON.stringify(step.input)
        }
      : { type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text: step.text }] }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return [
    ["response.created", { response: { id: "r1" } }],
    ["response.output_item.done", { output_index: 0, item }],
    ["response.completed", { response: { id: "r1", usage } }]
  ]
}

const finished: Step = { text: "finished" }

/** A program that has just begun does not know the tools of its servers yet: the call is made again. */
const isEarly = /unsupported call|No such tool/u

/** Starts a server that speaks as both services do. */
export const start = async (): Promise<Models> => {
  const state: { steps: Array<Step>; heard: Array<string>; last?: Step } = { steps: [], heard: [] }
  const server = createServer((request, response) => {
    void bodyOf(request).then((asked) => {
      const isMessages = request.url?.includes("/messages") === true
      if (request.url?.includes("count_tokens") === true) return response.end('{"input_tokens":10}')
      if (!isMessages && request.url?.includes("/responses") !== true) return response.writeHead(404).end("{}")
      const tools = asked.tools ?? []
      const answer = (step: Step): void =>
        stream(response, isMessages ? messages(step, asked.model ?? "m") : responses(step, tools))
      // What is asked for beside the conversation, such as a title, has no tools.
      if (tools.length === 0) return answer(finished)
      // Claude Code may tell of tools that came late after a result.
      const heard = (asked.messages?.slice(-2) ?? asked.input?.slice(-1) ?? []).map((one) => JSON.stringify(one)).join()
      const { last } = state
      if (isEarly.test(heard) && last !== undefined && "tool" in last) {
        state.last = { ...last, id: `${last.id}x` }
        return setTimeout(answer, 500, state.last)
      }
      state.heard.push(heard)
      state.last = state.steps.shift() ?? finished
      return answer(state.last)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    next: (steps) => Object.assign(state, { steps: [...steps], heard: [] }),
    heard: () => state.heard,
    close: () => server.close()
  }
}
