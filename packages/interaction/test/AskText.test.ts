import type { Event } from "@belay/history-store"
import { AskText } from "@belay/interaction"
import { assert, describe, it } from "vitest"

const edit = (path: string, more: Partial<Event.EditSummary> = {}): Event.EditSummary => ({
  path,
  resolved: `/project/${path}`,
  exists: true,
  added: 1,
  removed: 0,
  ...more
})

const approval = (tool: string, args: unknown, edits?: ReadonlyArray<Event.EditSummary>): AskText.Ask => ({
  kind: "approval",
  callId: "call-1",
  payload: { question: `${tool} ${JSON.stringify(args)}`, ...(edits === undefined ? {} : { edits }) }
})

describe("the line of an ask", () => {
  it("says what a call would do, and shows none of its JSON", () => {
    const lines = [
      approval("execute_command", { command: "npm publish" }),
      approval("write_to_file", { path: "a.ts" }, [edit("a.ts")]),
      approval("write_to_file", { path: "a.ts" }, [edit("a.ts", { exists: false })]),
      approval("apply_patch", { patch: "…" }, [edit("a.ts"), edit("b.ts")]),
      approval("apply_patch", { patch: "…" }, [edit("a.ts", { deletes: true })]),
      approval("new_task", { message: "Write the docs" }),
      approval("fetch_url", { url: "https://host/page" }),
      approval("odd_tool", 1)
    ].map(AskText.line)
    assert.deepStrictEqual(lines, [
      "Run npm publish",
      "Edit a.ts",
      "Write a.ts",
      "Edit 2 files",
      "Delete a.ts",
      "Start a subtask: Write the docs",
      "Use fetch_url: https://host/page",
      "Use odd_tool"
    ])
  })

  it("keeps the beginning and the end of a long command, in one printable line", () => {
    const command = `echo first\n${"x".repeat(6000)}\u001B[2J\u202E last`
    const line = AskText.line(approval("execute_command", { command }))
    assert.match(line, /^Run echo first ⏎ x+ … x+\\u\{1b\}\[2J\\u\{202e\} last$/)
    const padded = AskText.line(approval("execute_command", { command: `echo fine${" ".repeat(300)}; rm all` }))
    assert.strictEqual(padded, "Run echo fine ; rm all")
    assert.isBelow(line.length, 180)
  })

  it("is the first line of what is asked in words", () => {
    const ask = (kind: Event.AskKind, callId: string | null, question: string): AskText.Ask => ({
      kind,
      callId,
      payload: { question }
    })
    assert.strictEqual(AskText.line(ask("question", "call-1", "Which port?\nThe old one is taken.")), "Which port?")
    assert.strictEqual(AskText.line(ask("plan", null, "## Plan\n\n1. **Parse** `a.ts`")), "Plan")
    assert.strictEqual(AskText.line(ask("plan", null, "---\n1. **Parse** `a.ts`")), "Parse a.ts")
    assert.strictEqual(AskText.line(ask("mistakes", null, "What now?")), "What now?")
    const repeated = ask("mistakes", "call-1", 'execute_command {"command":"npm test"}')
    assert.strictEqual(AskText.line(repeated), "Run npm test")
  })
})
