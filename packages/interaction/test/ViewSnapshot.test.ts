import { Items } from "@belay/interaction/unstable/view"
import { ViewSnapshot } from "@belay/interaction/unstable/feed"
import { ApprovalLevel, type Row } from "@belay/interaction"
import { Approvals } from "@belay/approval-policy"
import { assert, describe, it } from "vitest"

const nothing = { roots: [], more: false, entries: new Map(), unreadable: [], places: new Map(), answers: new Map() }
const ready = { folders: 1, hasKey: true, mode: "act", notice: null, own: true } as const

describe("what is shown before there is a task", () => {
  it("offers to do without a key where that can be, and nothing at all where nothing can be written", () => {
    const titles = (more: object) =>
      ViewSnapshot.welcomeOf(nothing, { ...ready, ...more }).buttons.map(({ title }) => title)
    const [own, demo] = ["This server needs no key", "Try the demo without a key"]
    assert.deepEqual(titles({ hasKey: false }), ["Enter an Anthropic key", own, demo])
    assert.deepEqual(titles({ hasKey: false, own: false }), ["Enter an Anthropic key", demo])
    const notice = "This history is of a newer version."
    assert.deepInclude(ViewSnapshot.welcomeOf(nothing, { ...ready, notice }), {
      text: notice,
      buttons: [],
      canStart: false
    })
  })
})

describe("the last turn", () => {
  const row = (ts: number, body: Row.Body): Row.Row => ({ id: `r${ts}`, ts, ...body })
  const you = (ts: number, message: number) => row(ts, { kind: "said", by: "you", text: "Go", message })
  const changed = (ts: number, files: number) =>
    row(ts, { kind: "checkpoint", text: "", files, message: ts, to: ts + 1 })

  it("is what happened since a person's last words, with the files that it changed and where they are compared", () => {
    const said = row(9000, { kind: "said", by: "assistant", text: "Done." })
    const rows = [you(1000, 0), changed(1500, 4), you(2000, 4), changed(3000, 1), said]
    assert.deepEqual(Items.lastTurn(rows), {
      ms: 7000,
      message: 4,
      ts: 2000,
      changed: { text: "1 file changed", message: 3000 }
    })
    assert.equal(Items.lastTurn([...rows, changed(9500, 2)]).changed?.text, "files changed")
    assert.isUndefined(Items.lastTurn([you(1, 0), said]).changed)
    const back = row(9600, { kind: "restored", text: "", undo: true })
    assert.isUndefined(Items.lastTurn([...rows, back]).changed, "it was undone")
  })

  it("has its last error as a sentence until somebody speaks", () => {
    const error = row(2, { kind: "note", tone: "error", text: "model: claude-nope was not found." })
    const stopped = row(3, { kind: "note", tone: "warning", text: "Interrupted: the service failed." })
    assert.equal(Items.lastError([you(1, 0), error, stopped]), "Model: claude-nope was not found.")
    assert.isUndefined(Items.lastError([error, you(4, 1)]))
  })
})

describe("how much runs without asking", () => {
  it("is one word for three settings, and setting it keeps what is denied and what has a name of its own", () => {
    const own: Approvals.Approvals = {
      ...Approvals.ask,
      edit: "deny",
      commands: { ...Approvals.ask.commands, deny: ["git push"], other: "deny" },
      mcp: { "notes/*": "deny" }
    }
    const levels = ApprovalLevel.levels.map((level) =>
      ApprovalLevel.of({ approvals: ApprovalLevel.set(Approvals.ask, level) })
    )
    assert.deepEqual(levels, [...ApprovalLevel.levels])
    assert.deepEqual(ApprovalLevel.set(Approvals.ask, "edits").edit, "allow")
    const set = ApprovalLevel.set(own, "checks")
    assert.deepEqual(
      [set.edit, set.commands.other, set.commands.deny, set.mcp],
      ["deny", "deny", ["git push"], own.mcp]
    )
    assert.isUndefined(ApprovalLevel.of({ approvals: Approvals.all }))
    assert.isUndefined(ApprovalLevel.of({}))
  })
})
