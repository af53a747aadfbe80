/** What every history keeps of a conversation: what the model is shown, asks, the list and the settings. */
import { Inbox } from "../history/Inbox.ts"
import type * as Step from "../history/Step.ts"
import { TaskHistory } from "../history/TaskHistory.ts"
import { type ContextEdit, Message } from "@belay/message-state"
import * as assert from "./assertions.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  commit,
  completed,
  created,
  delegated,
  eventsOf,
  id,
  lifecycle,
  meta,
  messagesOf,
  rowOf,
  settled,
  started,
  turn
} from "./scenario.ts"
import { describeAfter, interrupt, type Made, p, ruleOf, say, type Runner, testing } from "./contract.ts"

export const conversation = (runner: Runner, name: string, make: () => Made): void => {
  const { describe, test } = testing(runner, make)

  describe(name, () => {
    test(
      "opens and settles an ask once, of the right task only",
      Effect.gen(function* () {
        yield* commit(started("p"), started("q"))
        const ask = { askId: "k1", kind: "question" as const, question: "which?", options: ["x"], grants: [] }
        const open = { _tag: "AskOpened" as const, taskId: p, attempt: 1, ask }
        assert.strictEqual((yield* commit(open)).events.length, 1)
        assert.deepStrictEqual((yield* commit(open)).events, [])
        assert.strictEqual((yield* rowOf("p")).openAsks, 1)
        const answer = (taskId: string, text: string) =>
          ({ _tag: "AskSettled", taskId: id(taskId), settled: { askId: "k1", text, by: "user" } }) as const
        assert.deepStrictEqual((yield* commit(answer("q", "wrong task"))).events, [])
        assert.strictEqual((yield* commit(answer("p", "x"))).events.length, 1)
        assert.deepStrictEqual((yield* commit(answer("p", "y"))).events, [])
        const history = yield* TaskHistory
        const [stored] = yield* history.asks(p)
        assert.deepStrictEqual([stored?.open, stored?.text, stored?.payload.question], [false, "x", "which?"])
        assert.strictEqual((yield* rowOf("p")).openAsks, 0)
      })
    )

    test(
      "leaves no ask open on a task that completes",
      Effect.gen(function* () {
        yield* commit(started("p"))
        const ask = { askId: "k1", kind: "question" as const, question: "which?", grants: [] }
        yield* commit({ _tag: "AskOpened", taskId: p, attempt: 1, ask })
        const { events } = yield* commit(completed("p", 1))
        assert.strictEqual((yield* rowOf("p")).openAsks, 0)
        assert.deepStrictEqual(
          events.flatMap((event) => (event.type === "ask.settled" ? [event.askId] : [])),
          ["k1"]
        )
      })
    )

    test(
      "keeps which contents of files the model knows by the messages that it is shown, also for a task that begins there",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const fence = { taskId: p, attempt: 1 }
        const read = (callId: string, path: string, hash: string) =>
          ({
            _tag: "CallsSettled",
            ...fence,
            results: [{ callId, content: [], isError: false, state: "finished", files: [{ path, hash }] }]
          }) as const
        yield* commit(turn("p", 1, [{ callId: "c1" }, { callId: "c2" }]))
        yield* commit(read("c1", "/a", "1"))
        // A second result of the same call counts as little as its files.
        yield* commit(read("c1", "/a", "no"), read("c2", "/b", "1"))
        yield* commit(
          { _tag: "FilesTold", ...fence, files: [{ path: "/a", hash: "2" }] },
          { _tag: "Append", ...fence, message: Message.user(Message.text("changed")) }
        )
        const known = [
          { path: "/b", seen: "1", told: "1", messageIndex: 1 },
          { path: "/a", seen: "1", told: "2", messageIndex: 3 }
        ]
        assert.deepStrictEqual(yield* history.files(p), known)
        const shown = { path: "/c", hash: "1", lines: "2 1-2 AAAABBBB" }
        yield* commit(
          { _tag: "FilesShown", ...fence, files: [shown] },
          { _tag: "Append", ...fence, message: Message.user(Message.text("mentioned")) },
          { _tag: "FilesTold", ...fence, files: [{ path: "/c", hash: "2" }] },
          { _tag: "Append", ...fence, message: Message.user(Message.text("changed")) }
        )
        const ofShown = { path: "/c", seen: "1", lines: shown.lines, told: "2", messageIndex: 5 }
        assert.deepStrictEqual(yield* history.files(p), [...known, ofShown])
        const [create] = created("q")
        const described: Step.Step = {
          _tag: "Describe",
          taskId: id("q"),
          meta: meta("q"),
          prompt: Message.user(Message.text("go on")),
          after: { taskId: p, through: 2 }
        }
        yield* commit([create ?? described, described])
        assert.deepStrictEqual(
          (yield* history.files(id("q"))).map(({ path, told }) => [path, told]),
          [
            ["/a", "1"],
            ["/b", "1"]
          ]
        )
        assert.deepStrictEqual(yield* history.files(id("none")), [])
        yield* commit(interrupt("p"))
        yield* commit({ _tag: "ConversationCut", taskId: p, from: 3 })
        assert.deepStrictEqual(yield* history.files(p), [
          { path: "/a", seen: "1", told: "1", messageIndex: 1 },
          { path: "/b", seen: "1", told: "1", messageIndex: 1 }
        ])
      })
    )

    test(
      "changes mode, checklist and settings",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const items = [
          { id: "1", text: "read", state: "done" as const },
          { id: "2", text: "write", state: "open" as const }
        ]
        const fence = { taskId: p, attempt: 1 }
        const mode = { _tag: "ModeChanged", ...fence, to: "plan", by: "user" } as const
        yield* commit(mode, { _tag: "ChecklistChanged", ...fence, items, text: "- [x] read", hash: "h", by: "model" })
        assert.deepStrictEqual((yield* commit(mode)).events, [])
        yield* commit({ _tag: "Configure", ...fence, settings: { fast: true }, model: "m-2" })
        const row = yield* rowOf("p")
        assert.deepStrictEqual([row.meta.mode, row.meta.model, row.meta.settings], ["plan", "m-2", { fast: true }])
        assert.deepStrictEqual(row.checklist, { done: 1, total: 2 })
        assert.deepStrictEqual(Option.getOrThrow(yield* history.checklist(p)), {
          text: "- [x] read",
          hash: "h",
          items,
          by: "model"
        })
        assert.isTrue(Option.isNone(yield* history.checklist(id("q"))))
      })
    )

    test(
      "keeps what a merge of the list gave up for as long as the items are the same",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const items = (text: string) => [{ id: "1", text, state: "open" as const }]
        const change = { _tag: "ChecklistChanged", taskId: p, attempt: 1, text: "", hash: "h" } as const
        const conflict = { ids: ["1"], theirs: items("write") }
        const kept = Effect.map(history.checklist(p), (list) => Option.getOrThrow(list).conflict)
        yield* commit({ ...change, items: items("read"), by: "model", conflict })
        assert.deepStrictEqual(yield* kept, conflict)
        yield* commit({ ...change, items: items("read"), by: "user" })
        assert.deepStrictEqual(yield* kept, conflict)
        yield* commit({ ...change, items: items("think"), by: "model" })
        assert.isUndefined(yield* kept)
      })
    )

    test(
      "keeps a person's edit of the list beside what the model knows, whoever runs the task, and tells of it once",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const items = (state: "open" | "done") => [{ id: "1", text: "read", state }]
        const fence = { taskId: p, attempt: 1 }
        const text = "- [ ] read <!-- 1 -->"
        yield* commit({ _tag: "ChecklistChanged", ...fence, items: items("open"), text, hash: "h", by: "model" })
        yield* commit(interrupt("p"))
        const updatedAt = (yield* rowOf("p")).updatedAt
        const edit = { _tag: "ChecklistEdited", taskId: p, items: items("done") } as const
        const told = (yield* commit(edit)).events.map((event) => [event.type, "by" in event && event.by])
        assert.deepStrictEqual(told, [["focus-chain.updated", "user"]])
        assert.deepStrictEqual((yield* commit(edit)).events, [])
        assert.deepStrictEqual(Option.getOrThrow(yield* history.checklist(p)), {
          text,
          hash: "h",
          items: items("done"),
          by: "user"
        })
        const row = yield* rowOf("p")
        assert.deepStrictEqual([row.checklist, row.updatedAt], [{ done: 1, total: 1 }, updatedAt])
        const absent = yield* Effect.flip(commit({ ...edit, taskId: id("q") }))
        assert.strictEqual("rule" in absent && absent.rule, "NotFound")
      })
    )

    test(
      "holds back what the user says until the open calls are answered, and says it once",
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]))
        const say = { _tag: "Say", taskId: p, attempt: 1, id: "m1", text: "hurry" } as const
        yield* commit(say)
        yield* commit(say)
        assert.strictEqual((yield* messagesOf("p")).length, 2)
        yield* commit(settled("p", 1, { callId: "c1", text: "one" }))
        yield* commit(say)
        const messages = yield* messagesOf("p")
        assert.deepStrictEqual(
          messages.map((message) => message.content[0]?.type),
          ["text", "text", "tool_result", "text"]
        )
        const inbox = yield* Inbox
        assert.deepStrictEqual(yield* inbox.pending, [])
      })
    )

    test(
      "shows the model what its edits leave, and keeps the log as it is",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]), settled("p", 1, { callId: "c1", text: "long" }))
        yield* commit(turn("p", 1, [{ callId: "c2" }]), settled("p", 1, { callId: "c2", text: "two" }))
        const log = yield* messagesOf("p")
        assert.deepStrictEqual((yield* history.shown(p)).messages, log)
        const elide = { from: 2, to: 2, kind: "elide" as const, results: [{ index: 2, block: 0, text: "(left out)" }] }
        const condensed = (step: "outputs" | "summary", ...edits: ReadonlyArray<ContextEdit.Draft>): Step.Step => ({
          _tag: "Condensed",
          taskId: p,
          attempt: 1,
          edits,
          step,
          before: 900,
          after: 300,
          removed: 2
        })
        const { events } = yield* commit(condensed("outputs", elide))
        assert.deepStrictEqual(
          events.map(({ seq: _seq, ts: _ts, ...event }) => event),
          [{ taskId: p, type: "context.condensed", step: "outputs", before: 900, after: 300, removed: 2 }]
        )
        assert.strictEqual((yield* rowOf("p")).contextTokens, 300)
        assert.deepStrictEqual((yield* history.shown(p)).messages[2]?.content, [
          { type: "tool_result", tool_use_id: "c1", content: [Message.text("(left out)")] }
        ])
        yield* commit(condensed("summary", { from: 1, to: 2, kind: "summary", text: "c1 was read" }))
        const shown = yield* history.shown(p)
        assert.deepStrictEqual(
          shown.messages.map(({ content, index, role }) => [index, role, content[0]?.type]),
          [
            [0, "user", "text"],
            [1, "user", "text"],
            [3, "assistant", "text"],
            [4, "user", "tool_result"]
          ]
        )
        assert.deepStrictEqual(
          shown.edits.map(({ id, kind }) => [id, kind]),
          [
            [1, "elide"],
            [2, "summary"]
          ]
        )
        assert.deepStrictEqual(yield* messagesOf("p"), log)
      })
    )

    test(
      "cuts the conversation for the model and for people, and puts it back",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]), settled("p", 1, { callId: "c1", text: "one" }))
        yield* commit(say("later"), turn("p", 1, [{ callId: "c2" }, { callId: "c3" }]))
        const from = 3
        assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationCut", taskId: p, from })), "StopFirst")
        yield* commit(settled("p", 1, { callId: "c2", text: "two" }), interrupt("p"))
        const before = yield* Effect.all([history.shown(p), history.timeline(p, { limit: 1000 }), messagesOf("p")])
        for (const wrong of [0, 5]) {
          assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationCut", taskId: p, from: wrong })), "Changed")
        }
        const { events } = yield* commit({ _tag: "ConversationCut", taskId: p, from })
        const cut = events[0]
        if (cut?.type !== "conversation.cut") return assert.fail("no cut")
        assert.deepStrictEqual([cut.edit, cut.from, cut.to], [1, 3, 4])
        assert.deepStrictEqual((yield* history.shown(p)).messages, before[2].slice(0, 3))
        const page = yield* history.timeline(p, { limit: 1000 })
        assert.deepStrictEqual(page.events, [...before[1].events.filter(({ seq }) => seq < cut.fromSeq), cut])
        assert.deepStrictEqual(
          (yield* history.outline(p)).map(({ text }) => text),
          ["do p"]
        )
        assert.deepStrictEqual(yield* messagesOf("p"), before[2])
        assert.isAtLeast((yield* eventsOf("p")).length, before[1].events.length)
        yield* commit({ _tag: "ConversationUncut", taskId: p, edit: 1 })
        assert.deepStrictEqual(yield* history.shown(p), before[0])
        const back = (yield* history.timeline(p, { limit: 1000 })).events
        assert.deepStrictEqual(back.slice(0, before[1].events.length), before[1].events)
        assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationUncut", taskId: p, edit: 1 })), "Changed")
      })
    )

    test(
      "goes on after a cut, and keeps a call with its result",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]), settled("p", 1, { callId: "c1", text: "one" }))
        yield* commit(turn("p", 1, [{ callId: "c2" }]), interrupt("p"))
        // Message 2 brings the result of a call of message 1.
        yield* commit({ _tag: "ConversationCut", taskId: p, from: 2 })
        assert.deepStrictEqual(
          (yield* history.shown(p)).messages.map(({ index }) => index),
          [0]
        )
        yield* commit(lifecycle({ _tag: "Resume", taskId: p }), say("again", 2), turn("p", 2, [{ callId: "c3" }]))
        yield* commit(settled("p", 2, { callId: "c3", text: "three" }))
        assert.deepStrictEqual(
          (yield* history.shown(p)).messages.map(({ index }) => index),
          [0, 4, 5, 6]
        )
        yield* commit(interrupt("p"))
        assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationUncut", taskId: p, edit: 1 })), "Changed")
        yield* commit(created("q"), describeAfter("r", p, 6))
        assert.deepStrictEqual(
          (yield* history.shown(id("r"))).messages.map(({ index }) => index),
          [0, 4, 5, 6, 7]
        )
      })
    )

    test(
      "does not cut a call that a subtask will answer",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]), interrupt("p"))
        assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationCut", taskId: p, from: 1 })), "ChildrenPending")
      })
    )
  })
}
