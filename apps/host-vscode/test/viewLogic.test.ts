import type { Event } from "@belay/history-store"
import type { Row, View } from "@belay/interaction"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { AnsweredElsewhere } from "../src/conversation/AnsweredElsewhere.ts"
import * as LinkTarget from "../src/conversation/LinkTarget.ts"
import * as announcements from "../src/webview/state/announcements.ts"
import * as answers from "../src/webview/state/answers.ts"
import * as DeadTime from "../src/webview/state/deadTime.ts"
import * as items from "../src/webview/state/items.ts"
import * as Opened from "../src/webview/state/opened.ts"
import { initial, type State } from "../src/webview/state/state.ts"

describe("a link of a conversation", () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-link-")))
  const workspace = path.join(folder, "workspace")
  mkdirSync(path.join(workspace, "src"), { recursive: true })
  writeFileSync(path.join(workspace, "src", "a b.ts"), "")
  writeFileSync(path.join(folder, "secret.txt"), "")
  symlinkSync(path.join(folder, "secret.txt"), path.join(workspace, "link.txt"))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("leads to pages and mail alone, by the name that a service knows them by", () => {
    assert.equal(LinkTarget.webOf("https://exаmple.com/x"), "https://xn--exmple-4nf.com/x")
    assert.equal(LinkTarget.webOf("mailto:a@b.c"), "mailto:a@b.c")
    const others = [
      "javascript:alert(1)",
      "command:belay.stopAll",
      "vscode://x",
      "file:///etc/passwd",
      "data:text/html,x"
    ]
    for (const target of [...others, "https://github.com@evil.test/", "src/a.ts", ""]) {
      assert.isUndefined(LinkTarget.webOf(target), target)
    }
  })

  it("leads to a file of the task's folder, at its line, and to no other", () => {
    const file = path.join(workspace, "src", "a b.ts")
    assert.deepEqual(LinkTarget.fileOf("src/a%20b.ts:12:3", workspace), { file, line: 12 })
    assert.deepEqual(LinkTarget.fileOf("./src/a b.ts#L7-L9", workspace), { file, line: 7 })
    const others = ["../secret.txt", "link.txt", path.join(folder, "secret.txt"), "nothing.ts", "", ".", "javascript:x"]
    for (const target of others) assert.isUndefined(LinkTarget.fileOf(target, workspace), target)
  })
})

describe("the dead time", () => {
  it("is over 400 ms after the last thing that began it", () => {
    let now = 0
    const dead = DeadTime.make(() => now)
    now = 399
    assert.equal(dead.left(), 1)
    dead.restart()
    now = 798
    assert.equal(dead.left(), 1)
    dead.focused()
    now = 1197
    assert.equal(dead.left(), 1)
    now = 1198
    assert.equal(dead.left(), 0)
  })

  it("is over for a press that gave the view the focus, and not before what is pressed was there for its time", () => {
    let now = 0
    const dead = DeadTime.make(() => now)
    now = 399
    dead.focused()
    dead.pressed()
    assert.equal(dead.left(), 1)
    now = 500
    dead.focused()
    assert.equal(dead.left(), 400)
    dead.pressed()
    assert.equal(dead.left(), 0)
  })
})

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
      const all = answers.of(ask({ isEdit }))
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
      answers.of(ask({ kind: "repeat" })).map(({ place }) => place),
      [1, 4, 5]
    )
  })

  it("say what an answer for always allows, as far as it fits", () => {
    const title = (...rules: ReadonlyArray<string>) =>
      answers.of(ask({ grants: [{ scope: "always", rules }] })).find(({ place }) => place === 3)?.title
    assert.equal(title("npm test"), "Always allow npm test…")
    assert.equal(title("npm test", "tail"), "Always allow npm test, tail…")
    assert.equal(title("x".repeat(100)), `Always allow ${"x".repeat(60)}…`)
    assert.equal(title(), "Always…")
    assert.equal(answers.of(ask({})).find(({ place }) => place === 3)?.title, "Always…")
  })

  it("to a plan say what they begin, and send the words of the person with it", () => {
    const plan = (options: ReadonlyArray<string>) => ask({ kind: "plan", options })
    assert.deepEqual(answers.start(plan([]), " "), { title: "Switch to Act and start" })
    assert.deepEqual(answers.start(plan(["Ask first"]), "Now"), {
      title: "Switch to Act, with your message",
      words: "Now"
    })
    assert.deepEqual(answers.start(plan(["Start the implementation"]), ""), { title: "Start the implementation" })
    assert.deepEqual(answers.suggestions(plan(["Start the implementation", "Ask first"])), ["Ask first"])
  })

  it("from elsewhere are told once to a view that showed the ask, and its own are not", () => {
    const settled = (askId: string) =>
      ({ seq: 1, ts: 0, type: "ask.settled", askId, decision: "allow", by: "user" }) as unknown as Event.StoredEvent
    const elsewhere = new AnsweredElsewhere()
    const shown = [ask({}), ask({ askId: "mine" }), ask({ askId: "question", kind: "question" })]
    elsewhere.done({ type: "verdict", task: "t", askId: "a", verdict: "review" })
    elsewhere.done({ type: "verdict", task: "t", askId: "mine", verdict: "once" })
    assert.equal(elsewhere.line([settled("a")], shown), "Answered: you allowed it once (Run npm publish).")
    for (const id of ["mine", "question", "another"]) assert.isUndefined(elsewhere.line([settled(id)], shown), id)
  })

  it("say why one cannot be chosen, and leave it in its place", () => {
    const [, task, always] = answers.of(ask({}))
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
    const found = items.of(rows)
    assert.deepEqual(
      found.map(({ id }) => id),
      ["g1", "4", "5", "6"]
    )
    const [first] = found
    assert.equal(first?.kind === "reads" ? items.summary(first.calls) : "", "Read 2 files, searched once")
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
    assert.isTrue(items.canUndo([call("1", "read_file"), back, remark], back))
    assert.isFalse(items.canUndo([back, remark, call("1", "read_file")], back))
    assert.isFalse(items.canUndo([back, { ...back, id: "u", undo: false }], back))
    assert.isFalse(items.canUndo([{ ...back, undo: false }], { ...back, undo: false }))
  })

  it("are found by their message, or by the one before, once it has been read", () => {
    const said = (message: number): Row.Row => ({ id: `${message}`, ts: 0, kind: "said", by: "you", text: "", message })
    const list = items.of([said(4), call("c", "execute_command"), said(6)])
    assert.deepEqual(
      [4, 5, 9].map((message) => items.indexOf(list, message, false)),
      [0, 0, 2]
    )
    assert.isUndefined(items.indexOf(list, 3, false))
    assert.strictEqual(items.indexOf(list, 3, true), 0)
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
  const shown: State = { ...initial, n: 1, task: "t", header }

  it("is what has ended, and never a part of what arrives", () => {
    let state = shown
    const told: Array<string> = []
    const go = (next: Partial<State>): void => {
      const now = { ...state, ...next, n: state.n + 1 }
      told.push(announcements.of(state, now))
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
    const told = (verbosity: View.Verbosity) => announcements.of(shown, { ...shown, rows, verbosity })
    assert.equal(told("asksAndResults"), announcements.of(shown, { ...shown, rows: [result] }))
    assert.include(told("asksAndResults"), "All is published.")
    assert.include(told("full"), "Done")
    assert.equal(told("asksOnly"), "")
  })

  it("is nothing of another task, of earlier entries, and of what was there from the beginning", () => {
    const rows = [said("a", "Done")]
    assert.equal(announcements.of(initial, { ...shown, rows }), "")
    assert.equal(announcements.of(shown, { ...shown, task: "u", rows }), "")
    assert.equal(announcements.of(shown, { ...shown, prepended: true, rows }), "")
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
    assert.equal(announcements.ofAsk({ ...shown, asks: [ask] }, false), text)
    assert.equal(announcements.ofAsk(shown, false), "")
  })
})
