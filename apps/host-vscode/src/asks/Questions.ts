/**
 * What a task asks in words: a question, a plan, what to do after mistakes, a limit that was reached.
 *
 * Escape answers nothing, and what was typed is there again.
 */
import { LimitRaises, OpenAsks, TaskStore, TaskText } from "@belay/interaction/tasks"
import type { AnswerInput } from "@belay/task-engine"
import { AskText, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { TaskRunner } from "../tasks/TaskRunner.ts"
import * as Mode from "../tasks/Mode.ts"
import * as Picker from "../vscode/Picker.ts"
import * as TextPrompt from "../vscode/TextPrompt.ts"

const titleOf = ({ entry }: OpenAsks.Open): string => `Answer "${TaskText.titleOf(entry)}"`

const headOf = (open: OpenAsks.Open): string => AskText.line(open.ask)

const about = (open: OpenAsks.Open): Picker.Question<never>["about"] => [
  Picker.said(headOf(open), `In ${OpenAsks.placeOf(open)}`)
]

const words = (open: OpenAsks.Open, prompt = headOf(open)) =>
  Effect.map(TextPrompt.write({ key: open.ask.askId, title: titleOf(open), prompt }), (text): AnswerInput => ({ text }))

const question = (open: OpenAsks.Open) =>
  Effect.gen(function* () {
    const { options = [] } = open.ask.payload
    if (options.length === 0) return yield* words(open)
    const given = yield* Picker.choose<AnswerInput | "words">({
      title: titleOf(open),
      about: about(open),
      items: [
        ...options.map((text) => ({ label: Words.printable(text), choice: { text } })),
        Picker.line,
        { label: "Answer in your own words", choice: "words" as const }
      ]
    })
    return given === "words" ? yield* words(open) : given
  })

/** A call that repeats itself: it may run, or not, or something else is to be done. */
const repeat = (open: OpenAsks.Open) =>
  Effect.gen(function* () {
    const given = yield* Picker.choose<AnswerInput | "words">({
      title: titleOf(open),
      about: [
        ...about(open),
        ...(yield* OpenAsks.factsOf(open)).facts.map(({ label, text }) => Picker.said(label, text))
      ],
      items: [
        { label: "1  Run it again", choice: { decision: "allow" } },
        Picker.line,
        { label: "4  Do not run it", choice: { decision: "deny" } },
        { label: "5  Do not run it, say why…", choice: "words" as const }
      ]
    })
    return given === "words" ? { ...(yield* words(open)), decision: "deny" as const } : given
  })

type PlanAnswer = "start" | "startWith" | "keep"

const plan = (open: OpenAsks.Open) =>
  Effect.gen(function* () {
    const chosen = yield* Picker.choose<PlanAnswer>({
      title: titleOf(open),
      about: about(open),
      items: [
        { label: "Switch to Act and start", choice: "start" },
        { label: "Switch to Act, with your message…", choice: "startWith" },
        Picker.line,
        { label: "Keep planning…", detail: "Your message goes on planning.", choice: "keep" }
      ]
    })
    if (chosen === "keep") return yield* words(open, "What should the plan say, or what is your answer?")
    const { text } = chosen === "start" ? { text: undefined } : yield* words(open, "It goes with the switch to Act.")
    yield* Mode.switchTo(open.entry, "act", text)
    TextPrompt.taken(open.ask.askId)
    return "done" as const
  })

/** The task is stopped; it goes on with more, or with a message. */
const limit = (open: OpenAsks.Open) =>
  Effect.gen(function* () {
    const { id } = open.entry.node.row.record
    const { resume } = yield* TaskRunner
    const ways = LimitRaises.of(open.ask.kind === "budget" ? open.entry.node.row.meta.settings : undefined)
    const limits = yield* Picker.choose<LimitRaises.Raise["limits"]>({
      title: titleOf(open),
      about: about(open),
      items: ways.map((way) => ({ label: way.title, choice: way.limits }))
    })
    const isRaised = Object.keys(limits).length > 0
    yield* resume(id, isRaised ? { settings: (now) => ({ ...now, ...limits }) } : {})
    yield* (yield* TaskStore.TaskStore).refresh
    return "done" as const
  })

/** The answer, or `done` when it has been carried out. */
export const ask = (open: OpenAsks.Open) => {
  const { callId, kind } = open.ask
  if (kind === "plan") return plan(open)
  if (kind === "budget" || kind === "context") return limit(open)
  return kind === "mistakes" && callId !== null ? repeat(open) : question(open)
}
