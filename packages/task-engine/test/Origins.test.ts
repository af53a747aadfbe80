import { ContextMessage, Message, type Origin, Origins } from "@belay/message-state"
import { DeepPlanning, HandOver, ModeSwitch } from "@belay/modes"
import { assert, describe, it } from "@effect/vitest"
import * as Complaint from "../src/prompt/Complaint.ts"
import * as CutOff from "../src/prompt/CutOff.ts"
import * as Environment from "../src/prompt/Environment.ts"
import * as Prompt from "../src/prompt/Prompt.ts"
import * as ReportText from "../src/prompt/ReportText.ts"
import * as UserIntent from "../src/prompt/UserIntent.ts"

const environment = (author: "user" | "task") =>
  Environment.block({ workspace: "/w", day: "2026-01-01", mode: "act", approvals: "none", author })

const item = { id: "a", text: "b", state: "open" } as const

const texts: ReadonlyArray<readonly [Origin.Origin, Message.TextBlock]> = [
  ["engine.environment", environment("user")],
  ["engine.notice", Prompt.notice("x")],
  ["engine.checklist", Prompt.checklistReminder("stale", [item])],
  ["engine.checklistEdited", Prompt.checklistEdited([item])],
  ["engine.checklistEdited", Prompt.checklistEdited([])],
  ["engine.firstChecklist", Prompt.checklist("- a")],
  ["engine.files", Prompt.filesChanged(["a"])],
  ["engine.restored", Message.text(Prompt.restored(["a"]))],
  ["engine.planning", Prompt.planning("discussion")],
  ["engine.mode", Message.text(ModeSwitch.reminders.plan)],
  ["engine.surroundings", Environment.note("Date", "2026-01-02")],
  ["engine.surroundings", Environment.note("Approvals", "all ask")],
  ["engine.subtask", ReportText.subtask],
  ["engine.noCall", Complaint.useTool("plan")],
  ["engine.openItems", Prompt.leftOpen([item])],
  ["engine.notCompleted", Complaint.notYet("Not completed: no.")],
  ["engine.cutOff", CutOff.ofText(CutOff.outputLimit(7))],
  ["engine.interrupted", Prompt.stopped],
  ["engine.condensing", Prompt.goOn],
  ["engine.summary", Message.text(`${Prompt.summary}\n\nwords`)],
  ["engine.summary", Message.text(Prompt.leftOut(3))],
  ["engine.report", Message.text("[task abc: succeeded] Done.")],
  ["task", Message.text(HandOver.prompt(["a"]))],
  ["user", Message.text("Look at @/a.txt")],
  ["unknown", Message.text("[WIP] Look at @/a.txt")],
  ["unknown", Message.text("<b>")]
]

describe("who wrote a text of a message from before records said it", () => {
  it.each(texts)("is told by the text: %s", (origin, text) => {
    assert.strictEqual(Origins.of(Message.user(text), 0), origin)
  })

  it("is another task where it says so, and nobody's beside what a model is given", () => {
    assert.strictEqual(Origins.of(Message.user(Message.text("Do it."), environment("task")), 0), "task")
    assert.strictEqual(Origins.of(Message.user(Message.text("Do it."), environment("user")), 0), "user")
    const { content } = ContextMessage.message([Message.text("Be brief.")])
    assert.deepStrictEqual(
      content.map((_, at) => Origins.of(Message.user(...content), at)),
      content.map(() => "engine.given")
    )
  })
})

describe("who wrote a text whose record says it", () => {
  it.each(texts)("is nobody else, whatever it looks like: %s", (_, text) => {
    assert.strictEqual(Origins.of(Message.from("user", text), 0), "user")
    assert.deepStrictEqual(UserIntent.words([Message.from("user", text)], 0), [text.text])
    assert.deepStrictEqual(UserIntent.words([Message.from("engine.notice", text)], 0), [])
    assert.isTrue(Prompt.saysUser(Message.from("user", text)))
    assert.isFalse(Prompt.isNote(Message.from("user", text)))
  })
})

it("knows all phases of a plan by the text that tells them", () => {
  for (const phase of DeepPlanning.phases) {
    assert.strictEqual(Origins.of(Message.user(Prompt.planning(phase)), 0), "engine.planning")
  }
})
