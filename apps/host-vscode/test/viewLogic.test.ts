import type { Row, View } from "@belay/task-engine/protocol"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import * as Address from "../src/conversation/Address.ts"
import * as answers from "../src/webview/answers.ts"
import * as DeadTime from "../src/webview/deadTime.ts"
import * as items from "../src/webview/items.ts"

describe("a link of a conversation", () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-link-")))
  const workspace = path.join(folder, "workspace")
  mkdirSync(path.join(workspace, "src"), { recursive: true })
  writeFileSync(path.join(workspace, "src", "a b.ts"), "")
  writeFileSync(path.join(folder, "secret.txt"), "")
  symlinkSync(path.join(folder, "secret.txt"), path.join(workspace, "link.txt"))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("leads to pages and mail alone, by the name that a service knows them by", () => {
    assert.equal(Address.webOf("https://exаmple.com/x"), "https://xn--exmple-4nf.com/x")
    assert.equal(Address.webOf("mailto:a@b.c"), "mailto:a@b.c")
    const others = [
      "javascript:alert(1)",
      "command:belay.stopAll",
      "vscode://x",
      "file:///etc/passwd",
      "data:text/html,x"
    ]
    for (const target of [...others, "https://github.com@evil.test/", "src/a.ts", ""]) {
      assert.isUndefined(Address.webOf(target), target)
    }
  })

  it("leads to a file of the task's folder, at its line, and to no other", () => {
    const file = path.join(workspace, "src", "a b.ts")
    assert.deepEqual(Address.fileOf("src/a%20b.ts:12:3", workspace), { file, line: 12 })
    assert.deepEqual(Address.fileOf("./src/a b.ts#L7-L9", workspace), { file, line: 7 })
    const others = ["../secret.txt", "link.txt", path.join(folder, "secret.txt"), "nothing.ts", "", ".", "javascript:x"]
    for (const target of others) assert.isUndefined(Address.fileOf(target, workspace), target)
  })
})

describe("the dead time", () => {
  it("is over 400 ms after the last thing that began it", () => {
    let now = 0
    const dead = DeadTime.make(() => now)
    now = 399
    assert.isFalse(dead.isOver())
    dead.restart()
    now = 798
    assert.isFalse(dead.isOver())
    now = 799
    assert.isTrue(dead.isOver())
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

  it("offer to undo a restore until something but remarks follows it", () => {
    const back: Row.Row = { id: "r", ts: 0, kind: "restored", text: "Restored 1 file", undo: true }
    const remark: Row.Row = { id: "n", ts: 0, kind: "note", tone: "quiet", text: "Resumed." }
    assert.isTrue(items.canUndo([call("1", "read_file"), back, remark], back))
    assert.isFalse(items.canUndo([back, remark, call("1", "read_file")], back))
    assert.isFalse(items.canUndo([back, { ...back, id: "u", undo: false }], back))
    assert.isFalse(items.canUndo([{ ...back, undo: false }], { ...back, undo: false }))
  })
})
