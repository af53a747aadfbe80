import type { Event } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Row } from "@belay/interaction"
import { TranscriptText } from "@belay/interaction/unstable/feed"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"

const taskId = TaskId.TaskId.make("t")

const stored = (...bodies: ReadonlyArray<Event.EventBody>): ReadonlyArray<Event.StoredEvent> =>
  bodies.map((body, index) => ({ ...body, taskId, seq: index + 1, ts: index }))

const asked = (name: string, args: unknown): Event.EventBody => ({ type: "tool.requested", callId: "c", name, args })

const ended = (name: string, text: string): Event.EventBody => ({
  type: "tool.finished",
  callId: "c",
  name,
  isError: false,
  result: [Message.text(text)],
  state: "finished"
})

/** What the last row says of each file: its counts, its lines, and how many are left out. */
const changes = (...events: ReadonlyArray<Event.EventBody>) => {
  const { add } = Row.make()
  const last = stored(...events)
    .flatMap(add)
    .at(-1)
  return last?.kind === "call"
    ? last.changes?.map((one) => [
        one.path,
        one.added,
        one.removed,
        one.lines.map(({ op, text }) => op + text),
        one.left
      ])
    : undefined
}

const block = (search: string, replace: string): string =>
  `------- SEARCH\n${search}\n=======\n${replace}\n+++++++ REPLACE`

const numbers = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}\n`).join("")

describe("the row of an edit", () => {
  it("shows the lines that go and come, with what stands around them", () => {
    const diff = `${block("a\nb\nc\nold\nd\ne\nf", "a\nb\nc\nnew\nd\ne\nf")}\n${block("x", "")}`
    assert.deepEqual(changes(asked("replace_in_file", { path: "src/a.ts", diff })), [
      ["src/a.ts", 1, 2, [" b", " c", "-old", "+new", " d", " e", "-x"], 0]
    ])
  })

  it("shows twelve lines of each of three files, and how many follow", () => {
    const section = (at: number) => `*** Add File: ${at}.txt\n${numbers(20).replaceAll(/^(?=.)/gmu, "+")}`
    const patch = `*** Begin Patch\n${[1, 2, 3, 4].map(section).join("")}*** End Patch`
    const shown = changes(asked("apply_patch", { patch })) ?? []
    assert.deepEqual(
      shown.map(([path, added, , lines, left]) => [path, added, Array.isArray(lines) && lines.length, left]),
      [
        ["1.txt", 20, 12, 8],
        ["2.txt", 20, 12, 8],
        ["3.txt", 20, 12, 8],
        ["4.txt", 20, 0, 20]
      ]
    )
  })

  it("says of a file that is written whole that its lines came only where it was not there before", () => {
    const write = asked("write_to_file", { path: "a.txt", content: "one\ntwo\n" })
    assert.deepEqual(changes(write), [["a.txt", 0, 0, [" one", " two"], 0]])
    assert.deepEqual(changes(write, ended("write_to_file", "Wrote 2 lines to a.txt; it had 7.")), [
      ["a.txt", 0, 0, [" one", " two"], 0]
    ])
    const created = [["a.txt", 2, 0, ["+one", "+two"], 0]]
    assert.deepEqual(changes(write, ended("write_to_file", "Wrote 2 lines to a.txt (created).")), created)
    const edits = [{ path: "a.txt", resolved: "/w/a.txt", exists: false, added: 2, removed: 0 }]
    const ask: Event.EventBody = { type: "ask", askId: "q", kind: "approval", callId: "c", grants: [], edits }
    assert.deepEqual(changes(write, ask), created)
  })

  it("holds no character that could steer a display, no endless line, and nothing where it is no edit", () => {
    const diff = block("a", `\u001B[2J\u202E${"b".repeat(1000)}`)
    const [[, , , lines] = []] = changes(asked("replace_in_file", { path: "a", diff })) ?? []
    assert.isTrue(Array.isArray(lines))
    const shown = String(lines)
    for (const steering of ["\u001B", "\u202E"]) assert.notInclude(shown, steering)
    assert.isBelow(shown.length, 300)
    for (const args of [undefined, {}, { path: 1, diff: {} }, { path: "a", diff: "no block" }]) {
      assert.isUndefined(changes(asked("replace_in_file", args)))
    }
    assert.isUndefined(changes(asked("execute_command", { path: "a", diff })))
  })

  it("has all of it in a text", () => {
    const [event] = stored(asked("replace_in_file", { path: "a.txt", diff: block("old", numbers(30).trimEnd()) }))
    assert.deepEqual(TranscriptText.outputOf(event).split("\n").slice(0, 3), ["a.txt", "-old", "+line 0"])
    assert.equal(TranscriptText.outputOf(event).trimEnd().split("\n").length, 32)
  })
})
