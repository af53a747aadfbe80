import { Copy } from "@belay/interaction"
import { assert, describe, it } from "vitest"

const evil = "a\u001B[2J\n\u202Eb"

/** Every sentence, with `evil` wherever a value goes. */
const all: Record<keyof typeof Copy, string> = {
  subtaskInterruptedChild: Copy.subtaskInterruptedChild({ reason: "you stopped it", parent: evil }),
  subtaskInterruptedParent: Copy.subtaskInterruptedParent({ child: evil, reason: "you stopped it" }),
  subtaskWaitedFor: Copy.subtaskWaitedFor(evil),
  subtaskReady: Copy.subtaskReady,
  subtaskUnreadable: Copy.subtaskUnreadable,
  released: Copy.released("restarted") ?? "",
  subtaskAbandonTitle: Copy.subtaskAbandonTitle(evil),
  subtaskAbandonDetail: Copy.subtaskAbandonDetail(evil),
  stopTree: Copy.stopTree({ task: evil, n: 2 }),
  deleteTitle: Copy.deleteTitle({ task: evil, n: 2 }),
  deleteDetail: Copy.deleteDetail,
  eraseTitle: Copy.eraseTitle({ task: evil, n: 1 }),
  eraseDetail: Copy.eraseDetail,
  deleted: Copy.deleted({ task: evil, n: 2 }),
  undeleted: Copy.undeleted({ task: evil, n: 2 }),
  deleteRunning: Copy.deleteRunning,
  unreadableRow: Copy.unreadableRow(evil),
  restartAsk: Copy.restartAsk(evil),
  restartUnknown: Copy.restartUnknown(evil),
  alreadyDelivered: Copy.alreadyDelivered,
  askLate: Copy.askLate,
  askGone: Copy.askGone,
  askUnattended: Copy.askUnattended,
  askWhy: Copy.askWhy({ reason: evil, rule: evil }),
  because: Copy.because({ reason: evil, rule: evil }),
  askSandbox: Copy.askSandbox("confined"),
  alwaysSaved: Copy.alwaysSaved(evil, evil),
  alwaysHere: Copy.alwaysHere(evil, evil),
  alwaysNotSaved: Copy.alwaysNotSaved(evil),
  modeChanged: Copy.modeChanged({ by: "user", to: "act", answeredAsk: evil }),
  planning: Copy.planning("document"),
  planningNames: Object.values(Copy.planningNames).join(),
  planRefused: Copy.planRefused(evil),
  elsewhere: Copy.elsewhere({ pid: 4242, host: evil }),
  takenOver: Copy.takenOver({ title: evil, holder: { kind: evil, pid: 4242, host: evil } }),
  budget: Copy.budget({ used: "$2.00", limit: "$2.00" }),
  condenseDone: Copy.condenseDone(212),
  condensed: Copy.condensed({ step: "cut", removed: 3 }),
  conversationCut: Copy.conversationCut,
  conversationUncut: Copy.conversationUncut,
  noSandbox: Copy.noSandbox,
  checkpoint: Copy.checkpoint({ files: 2 }),
  leftOut: Copy.leftOut({ path: evil, reason: evil }),
  searchCovers: Copy.searchCovers({ covered: 8200, total: 10_012 }),
  searchNone: Copy.searchNone(evil),
  viewReloaded: Copy.viewReloaded,
  viewLost: Copy.viewLost,
  unreadable: Copy.unreadable,
  untrusted: Copy.untrusted,
  importFound: Copy.importFound({ importable: 809, damaged: 3, before: 0 }),
  importDone: Copy.importDone({ imported: 809, of: evil }),
  lostFound: Copy.lostFound({ tasks: 3, of: evil }),
  openedFolder: Copy.openedFolder(evil, "opened")
}

describe("a sentence for people", () => {
  it("names who has a task that was taken over", () => {
    const title = "Release 2.0"
    assert.strictEqual(
      Copy.takenOver({ title, holder: { kind: "cli", pid: 4242, host: "here" } }),
      '"Release 2.0" was taken over by a command line (process 4242 on here)'
    )
    assert.strictEqual(
      Copy.takenOver({ title, holder: { kind: "other", pid: 4242, host: "here" } }),
      '"Release 2.0" was taken over by process 4242 on here'
    )
    assert.strictEqual(
      Copy.takenOver({ title }),
      '"Release 2.0" was taken over by another process, which has left it since'
    )
  })

  it("is one line that nothing put into it can break or steer", () => {
    // oxlint-disable-next-line no-control-regex
    for (const [id, text] of Object.entries(all)) assert.notMatch(text, /[\u0000-\u001F\u202E]/, id)
  })

  it("names the task, and counts its subtasks", () => {
    assert.strictEqual(
      Copy.stopTree({ task: "Release 2.0", n: 2 }),
      'Stopped "Release 2.0" and 2 subtasks. Nothing was lost.'
    )
    assert.strictEqual(
      Copy.stopTree({ task: "Release 2.0", n: 1 }),
      'Stopped "Release 2.0" and 1 subtask. Nothing was lost.'
    )
    assert.strictEqual(Copy.stopTree({ task: "Release 2.0", n: 0 }), 'Stopped "Release 2.0". Nothing was lost.')
    assert.strictEqual(
      Copy.subtaskInterruptedParent({ child: "Update the docs", reason: "VS Code was closed" }),
      'Waiting for "Update the docs", which was interrupted (VS Code was closed).'
    )
  })

  it("says of an import how many tasks there are of each kind", () => {
    const said = (importable: number, damaged: number, before: number) =>
      Copy.importFound({ importable, damaged, before }).replace(" Nothing in the old folder is changed.", "")
    assert.strictEqual(said(809, 3, 0), "Found 812 tasks. 809 can be imported, 3 are damaged (copies are kept).")
    assert.strictEqual(said(1, 0, 2), "Found 3 tasks. 2 were imported before, 1 can be imported.")
    assert.strictEqual(said(0, 0, 1), "Found 1 task. 1 was imported before.")
    assert.strictEqual(said(0, 0, 0), "Found 0 tasks. 0 can be imported.")
  })
})
