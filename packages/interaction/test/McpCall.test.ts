/** A call of an MCP server as people see it: what the server gets, and nothing that steers a display. */
import { type Event } from "@belay/history-store"
import { AskText, McpCall, Row, Transcript } from "@belay/interaction"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "vitest"

const args = {
  server: "everything",
  tool: "echo",
  arguments: { message: "hi\u202E\u{E0041}\u001B[2J", n: [1, { a: null }] }
}
const id = TaskId.fromParts(1, 1, 1, 1)
const stored = (body: Event.EventBody, seq: number): Event.StoredEvent => ({ ...body, taskId: id, seq, ts: 0 })

describe("a call of an MCP server", () => {
  it("is shown as JSON of the very values, without what steers a display", () => {
    const call = McpCall.of(args)
    assert.deepEqual([call?.server, call?.name], ["everything", "echo"])
    assert.deepEqual(JSON.parse(call?.args ?? ""), args.arguments)
    // oxlint-disable-next-line no-control-regex
    assert.notMatch(call?.args ?? "", /[\u202E\u001B]|\u{E0041}/u)
    assert.equal(McpCall.of({ ...args, arguments: undefined })?.args, "{}")
    assert.deepEqual(McpCall.of({ server: "a", uri: "file:///x" }), { server: "a", name: "file:///x" })
    assert.isUndefined(McpCall.of({ path: "x" }))
    const { server: server_name, tool: tool_name, ...rest } = args
    assert.deepEqual(McpCall.of({ server_name, tool_name, ...rest }), call)
  })

  it("names server, tool and arguments in lists, rows and transcripts, so that two calls can be told apart", () => {
    const question = `use_mcp_tool ${JSON.stringify(args)}`
    const line = AskText.line({ kind: "approval", callId: "c", payload: { question } })
    assert.match(line, /^Use everything › echo \{ "message": "hi/)
    const rows = Row.make()
    const [row] = rows.add(stored({ type: "tool.requested", callId: "c", name: "use_mcp_tool", args }, 1))
    assert.equal(row?.kind, "call")
    if (row?.kind !== "call") return
    assert.match(row.subject, /^everything › echo \{ "message"/)
    assert.deepEqual(JSON.parse(row.args ?? ""), args.arguments)
    const told = Transcript.make().add(
      stored({ type: "ask", askId: "a", kind: "approval", callId: "c", question, grants: [] }, 2)
    )
    const text = told.join("\n")
    assert.include(text, "Use everything › echo")
    assert.include(text, '"message": "hi')
  })
})
