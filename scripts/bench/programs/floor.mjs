// The floor of the bench: a bare loop over the Messages API. It posts the growing conversation through `fetch`, reads the
// stream, does each read_file with one synchronous read, and stops at attempt_completion. Plain JavaScript, no imports
// but `node:fs`, nothing kept on disk.
import { readFileSync } from "node:fs"

const url = `${process.env.ANTHROPIC_BASE_URL}/v1/messages`
const headers = { "content-type": "application/json", "x-api-key": "bench", "anthropic-version": "2023-06-01" }
const messages = [{ role: "user", content: [{ type: "text", text: process.argv[2] }] }]

const answer = async () => {
  const body = JSON.stringify({ model: "bench", max_tokens: 8192, stream: true, messages })
  const response = await fetch(url, { method: "POST", headers, body })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const decoder = new TextDecoder()
  const content = []
  let json = ""
  let rest = ""
  for await (const chunk of response.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop()
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue
      const event = JSON.parse(line.slice(6))
      if (event.type === "content_block_start") content.push(event.content_block)
      else if (event.delta?.type === "text_delta") content.at(-1).text += event.delta.text
      else if (event.delta?.type === "input_json_delta") json += event.delta.partial_json
      else if (event.type === "content_block_stop" && content.at(-1).type === "tool_use") {
        content.at(-1).input = JSON.parse(json)
        json = ""
      }
    }
  }
  return content
}

for (;;) {
  const content = await answer()
  const calls = content.filter((block) => block.type === "tool_use")
  messages.push({ role: "assistant", content })
  const done = calls.find((call) => call.name === "attempt_completion")
  if (done !== undefined) {
    process.stdout.write(`${done.input.result}\n`)
    break
  }
  const results = calls.map((call) => ({
    type: "tool_result",
    tool_use_id: call.id,
    content: [{ type: "text", text: readFileSync(call.input.path, "utf8") }]
  }))
  messages.push({ role: "user", content: results })
}
