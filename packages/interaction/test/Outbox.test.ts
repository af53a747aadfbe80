import { Outbox } from "@belay/interaction/unstable/feed"
import { ViewState } from "@belay/interaction/unstable/view"
import type { Row, View } from "@belay/interaction"
import { assert, describe, it } from "vitest"

const row = (id: string, text = id): Row.Row => ({ id, ts: 0, kind: "note", tone: "quiet", text })

const empty = {
  task: "t",
  header: null,
  welcome: null,
  asks: [],
  queued: [],
  pictures: [],
  rows: [],
  live: "",
  draft: ""
}

/** A host and its view: what is sent, and what the view then shows. */
const pair = () => {
  const sent: Array<View.ToView> = []
  const outbox = new Outbox.Outbox((message) => void sent.push(message))
  outbox.restart()
  return {
    sent,
    outbox,
    shows: (messages: ReadonlyArray<View.ToView> = sent): ViewState.State =>
      messages.reduce((state, message) => ViewState.reduce(state, message as ViewState.Numbered), ViewState.initial)
  }
}

const step = (outbox: Outbox.Outbox, change: Outbox.Change): void => {
  outbox.change(change)
  outbox.flush()
}

describe("what a view is sent", () => {
  it("is one message for all that happened since the last", () => {
    const { outbox, sent, shows } = pair()
    outbox.snapshot(empty)
    for (const text of "arriving") outbox.change({ live: { text, whole: false } })
    outbox.change({ rows: [row("a", "first")], output: [{ id: "a", text: "x" }] })
    outbox.change({ rows: [row("a", "then"), row("b")], output: [{ id: "a", text: "y" }] })
    outbox.flush()
    outbox.flush()
    assert.equal(sent.length, 2)
    const state = shows()
    assert.equal(state.live, "arriving")
    assert.deepEqual(state.rows, [row("a", "then"), row("b")])
  })

  it("is nothing while it is hidden, not even what was read for it before", () => {
    const { outbox, sent } = pair()
    const all = () => {
      outbox.snapshot(empty)
      step(outbox, { rows: [row("a")] })
      outbox.page({ before: 1, rows: [] })
      return sent.length
    }
    assert.equal(all(), 3)
    outbox.close()
    assert.equal(all(), 3)
    outbox.restart()
    assert.equal(all(), 6)
  })

  it("loses no character of an answer that arrives in pieces, whatever the moments it is sent at", () => {
    const { outbox, shows } = pair()
    outbox.snapshot(empty)
    let whole = ""
    for (let n = 0; n < 1000; n += 1) {
      const text = `${n} `
      whole += text
      outbox.change({ live: { text, whole: false } })
      if (n % 7 === 0) {
        outbox.flush()
        outbox.shown(n)
        outbox.shown(Math.floor(n / 7) + 2)
      }
    }
    outbox.flush()
    assert.equal(shows().live, whole)
  })

  it("says what a task waits for until something happens, whether both are in one message or not", () => {
    const { outbox, shows } = pair()
    outbox.snapshot(empty)
    const waits = { progress: 'Waiting for "Fix flaky test", which is writing src/parse.ts.' }
    const said = (...changes: ReadonlyArray<Outbox.Change>): string => {
      for (const change of changes) outbox.change(change)
      outbox.flush()
      const { n, progress } = shows()
      outbox.shown(n)
      return progress
    }
    assert.equal(said({ rows: [row("a")] }), "")
    assert.equal(said(waits), waits.progress)
    assert.equal(said({ asks: [] }), waits.progress)
    assert.equal(said({ rows: [row("b")] }), "")
    assert.equal(said({ rows: [row("c")] }, waits), waits.progress)
    assert.equal(said(waits, { rows: [row("d")] }), "")
  })

  it("is all that happened meanwhile as one message, once a view that did not keep up does", () => {
    const { outbox, sent, shows } = pair()
    outbox.snapshot({ ...empty, live: "A long answer. " })
    for (let n = 0; n < 50; n += 1) step(outbox, { rows: [row("a", `${n}`)], live: { text: `${n} `, whole: false } })
    assert.equal(sent.length, 3)
    outbox.shown(2)
    outbox.flush()
    assert.deepEqual(
      sent.map((message) => [message.type, "n" in message ? message.n : 0]),
      [
        ["snapshot", 1],
        ["change", 2],
        ["change", 3],
        ["change", 4]
      ]
    )
    const state = shows()
    assert.deepEqual(state.rows, [row("a", "49")])
    assert.equal(state.live, `A long answer. ${Array.from({ length: 50 }, (_, n) => `${n} `).join("")}`)
  })

  it("is what waits, and then the page that was asked for, also when the view does not keep up", () => {
    const { outbox, shows } = pair()
    outbox.snapshot({ ...empty, rows: [row("b")], earlier: 3 })
    for (const text of "arriving") step(outbox, { live: { text, whole: false } })
    outbox.page({ before: 3, rows: [row("a")] })
    const state = shows()
    assert.equal(state.live, "arriving")
    assert.deepEqual(state.rows, [row("a"), row("b")])
    assert.isFalse(state.gap)
  })

  it.each([
    ["entries", (n: number): Outbox.Change => ({ rows: [row(`${n}`)] })],
    ["text", (): Outbox.Change => ({ live: { text: "x".repeat(1000), whole: false } })],
    ["output", (): Outbox.Change => ({ output: [{ id: "a", text: "x".repeat(1000) }] })]
  ])("begins anew when more %s than a beginning has would pile up", (_, change) => {
    const { outbox, sent } = pair()
    outbox.snapshot(empty)
    for (let n = 0; n < 200; n += 1) step(outbox, change(n))
    assert.equal(sent.length, 3)
    assert.isTrue(outbox.isStale)
    assert.isFalse(outbox.isWaiting)
    assert.isFalse(outbox.keepsUp)
    outbox.shown(3)
    assert.isTrue(outbox.keepsUp)
    outbox.snapshot({ ...empty, rows: [row("199")] })
    step(outbox, { rows: [row("200")] })
    assert.deepEqual(
      sent.map((message) => ("n" in message ? message.n : 0)),
      [1, 2, 3, 4, 5]
    )
  })

  it("is nothing before a snapshot, and nothing to a view that begins anew", () => {
    const { outbox, sent } = pair()
    step(outbox, { rows: [row("a")] })
    outbox.snapshot(empty)
    outbox.restart()
    step(outbox, { rows: [row("b")] })
    assert.equal(sent.length, 1)
  })
})

describe("what a view shows", () => {
  it("stays as it is when a message is missing, and is asked for anew", () => {
    const { outbox, sent, shows } = pair()
    outbox.snapshot(empty)
    step(outbox, { rows: [row("a")] })
    step(outbox, { rows: [row("b")] })
    const [first, , third] = sent
    const state = shows([first, third].filter((message) => message !== undefined))
    assert.isTrue(state.gap)
    assert.deepEqual(state.rows, [])
  })

  it("takes nothing that is about another task", () => {
    const { shows } = pair()
    const state = shows([
      { ...empty, type: "snapshot", n: 1 },
      { type: "change", n: 2, task: "other", rows: [row("a")] }
    ])
    assert.isTrue(state.gap)
    assert.deepEqual(state.rows, [])
  })

  it("puts earlier rows before those that are there, each once", () => {
    const { outbox, shows } = pair()
    outbox.snapshot({ ...empty, rows: [row("c"), row("d")], earlier: 3 })
    outbox.page({ before: 3, rows: [row("a"), row("b"), row("c")] })
    const state = shows()
    assert.deepEqual(
      state.rows.map(({ id }) => id),
      ["a", "b", "c", "d"]
    )
    assert.isUndefined(state.earlier)
  })
})
