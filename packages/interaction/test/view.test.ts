import type { Event } from "@belay/history-store"
import type { Row, View } from "@belay/interaction"
import { AnsweredElsewhere } from "@belay/interaction/unstable/feed"
import { Announcements, Answers, Items, Opened, ViewState } from "@belay/interaction/unstable/view"
import { assert, describe, it } from "vitest"

describe("the answers to an ask", () => {
  const ask = (more: Partial<View.Ask>): View.Ask => ({
    askId: "a",
    kind: "approval",
    heading: "Run npm publish",
    facts: [],
    isEdit: false,
    grants: [
      { scope: "task", rules: [] },
      { scope: "always", rules: [], refused: "npm publish cannot be undone" }
    ],
    options: [],
    ...more
  })

  it("have the same places and keys whatever is asked, from narrow to wide and then the refusals", () => {
    for (const isEdit of [false, true]) {
      const all = Answers.of(ask({ isEdit }))
      assert.deepEqual(
        all.map(({ place, verdict }) => [place, verdict]),
        [
          [1, "once"],
          [2, "task"],
          [3, "always"],
          [4, "deny"],
          [5, undefined]
        ]
      )
    }
    assert.deepEqual(
      Answers.of(ask({ kind: "repeat" })).map(({ place }) => place),
      [1, 4, 5]
    )
  })

  it("say what an answer for always allows, as far as it fits", () => {
    const title = (...rules: ReadonlyArray<string>) =>
      Answers.of(ask({ grants: [{ scope: "always", rules }] })).find(({ place }) => place === 3)?.title
    assert.equal(title("npm test"), "Always allow npm test…")
    assert.equal(title("npm test", "tail"), "Always allow npm test, tail…")
    assert.equal(title("x".repeat(100)), `Always allow ${"x".repeat(60)}…`)
    assert.equal(title(), "Always…")
    assert.equal(Answers.of(ask({})).find(({ place }) => place === 3)?.title, "Always…")
  })

  it("to a plan say what they begin, and send the words of the person with it", () => {
    const plan = (options: ReadonlyArray<string>) => ask({ kind: "plan", options })
    assert.deepEqual(Answers.start(plan([]), " "), { title: "Switch to Act and start" })
    assert.deepEqual(Answers.start(plan(["Ask first"]), "Now"), {
      title: "Switch to Act, with your message",
      words: "Now"
    })
    assert.deepEqual(Answers.start(plan(["Start the implementation"]), ""), { title: "Start the implementation" })
    assert.deepEqual(Answers.suggestions(plan(["Start the implementation", "Ask first"])), ["Ask first"])
  })

  it("from elsewhere are told once to a view that showed the ask, and its own are not", () => {
    const settled = (askId: string) =>
      ({ seq: 1, ts: 0, type: "ask.settled", askId, decision: "allow", by: "user" }) as unknown as Event.StoredEvent
    const elsewhere = new AnsweredElsewhere.AnsweredElsewhere()
    const shown = [ask({}), ask({ askId: "mine" }), ask({ askId: "question", kind: "question" })]
    elsewhere.done({ type: "verdict", task: "t", askId: "a", verdict: "review" })
    elsewhere.done({ type: "verdict", task: "t", askId: "mine", verdict: "once" })
    assert.equal(elsewhere.line([settled("a")], shown), "Answered: you allowed it once (Run npm publish).")
    for (const id of ["mine", "question", "another"]) assert.isUndefined(elsewhere.line([settled(id)], shown), id)
  })

  it("say why one cannot be chosen, and leave it in its place", () => {
    const [, task, always] = Answers.of(ask({}))
    assert.isUndefined(task?.refused)
    assert.equal(always?.refused, "npm publish cannot be undone")
  })
})

describe("the entries of a list", () => {
  const call = (id: string, name: string, state: "done" | "failed" = "done"): Row.Row => ({
    id,
    ts: 0,
    kind: "call",
    name,
    subject: "",
    state,
    edits: [],
    output: ""
  })

  it("are one for reads that follow each other, and one for everything else", () => {
    const rows = [
      call("1", "read_file"),
      call("2", "search_files"),
      call("3", "read_file"),
      call("4", "execute_command"),
      call("5", "read_file"),
      call("6", "read_file", "failed")
    ]
    const found = Items.of(rows)
    assert.deepEqual(
      found.map(({ id }) => id),
      ["g1", "4", "5", "6"]
    )
    const [first] = found
    assert.equal(first?.kind === "reads" ? Items.summary(first.calls) : "", "Read 2 files, searched once")
  })

  it("stay open when they were opened, the last hundred of them, until they are closed", () => {
    const all = Array.from({ length: 120 }, (_, at) => `m${at}`)
    const opened = all.reduce<ReadonlyArray<string>>((before, id) => Opened.change(before, id, true), [])
    assert.deepEqual(opened, all.slice(20))
    assert.deepEqual(Opened.change(opened, "m60", true), [...all.slice(20, 60), ...all.slice(61), "m60"])
    assert.deepEqual(Opened.change(["a", "b"], "a", false), ["b"])
  })

  it("offer to undo a restore until something but remarks follows it", () => {
    const back: Row.Row = { id: "r", ts: 0, kind: "restored", text: "Restored 1 file", undo: true }
    const remark: Row.Row = { id: "n", ts: 0, kind: "note", tone: "quiet", text: "Resumed." }
    assert.isTrue(Items.canUndo([call("1", "read_file"), back, remark], back))
    assert.isFalse(Items.canUndo([back, remark, call("1", "read_file")], back))
    assert.isFalse(Items.canUndo([back, { ...back, id: "u", undo: false }], back))
    assert.isFalse(Items.canUndo([{ ...back, undo: false }], { ...back, undo: false }))
  })

  it("are found by their message, or by the one before, once it has been read", () => {
    const said = (message: number): Row.Row => ({ id: `${message}`, ts: 0, kind: "said", by: "you", text: "", message })
    const list = Items.of([said(4), call("c", "execute_command"), said(6)])
    assert.deepEqual(
      [4, 5, 9].map((message) => Items.indexOf(list, message, false)),
      [0, 0, 2]
    )
    assert.isUndefined(Items.indexOf(list, 3, false))
    assert.strictEqual(Items.indexOf(list, 3, true), 0)
  })
})

describe("what a screen reader is told", () => {
  const header = { label: "Running", title: "Release 2.0" } as View.Header
  const said = (id: string, text: string): Row.Row => ({ id, ts: 0, kind: "said", by: "assistant", text })
  const ran = (state: "running" | "failed"): Row.Row => ({
    id: "c",
    ts: 0,
    kind: "call",
    name: "execute_command",
    subject: "npm test",
    state,
    edits: [],
    output: ""
  })
  const shown: ViewState.State = { ...ViewState.initial, n: 1, task: "t", header }

  it("is what has ended, and never a part of what arrives", () => {
    let state = shown
    const told: Array<string> = []
    const go = (next: Partial<ViewState.State>): void => {
      const now = { ...state, ...next, n: state.n + 1 }
      told.push(Announcements.of(state, now))
      state = now
    }
    for (let n = 0; n < 100; n += 1) go({ live: `${state.live}word ` })
    go({ live: "", rows: [said("a", "word ".repeat(600))] })
    go({ rows: [...state.rows, ran("running")] })
    go({ rows: [...state.rows.slice(0, -1), ran("failed")] })
    go({ header: { ...header, label: "Needs you" } })
    const heard = told.filter((text) => text !== "")
    assert.deepEqual(
      heard.map((text) => text.slice(0, 24)),
      ["word word word word word", "Run npm test: failed.", "Needs you."]
    )
    assert.equal(heard[0]?.length, 300)
  })

  it("is less where the person wants less: what tasks end with, or no more than what waits", () => {
    const result: Row.Row = { id: "r", ts: 0, kind: "result", outcome: "succeeded", text: "All is published." }
    const rows = [said("a", "Done"), ran("failed"), result]
    const told = (verbosity: View.Verbosity) => Announcements.of(shown, { ...shown, rows, verbosity })
    assert.equal(told("asksAndResults"), Announcements.of(shown, { ...shown, rows: [result] }))
    assert.include(told("asksAndResults"), "All is published.")
    assert.include(told("full"), "Done")
    assert.equal(told("asksOnly"), "")
  })

  it("is nothing of another task, of earlier entries, and of what was there from the beginning", () => {
    const rows = [said("a", "Done")]
    assert.equal(Announcements.of(ViewState.initial, { ...shown, rows }), "")
    assert.equal(Announcements.of(shown, { ...shown, task: "u", rows }), "")
    assert.equal(Announcements.of(shown, { ...shown, prepended: true, rows }), "")
  })

  it("names what waits, its task and the keys that lead there", () => {
    const ask: View.Ask = {
      askId: "a",
      kind: "approval",
      heading: "Run npm publish",
      facts: [],
      isEdit: false,
      grants: [],
      options: []
    }
    const text = "Needs you: Run npm publish, in Release 2.0. Press Ctrl+K A."
    assert.equal(Announcements.ofAsk({ ...shown, asks: [ask] }, false), text)
    assert.equal(Announcements.ofAsk(shown, false), "")
  })
})
