/**
 * An approval as a list: what will happen first, then always the same five answers in the same order, from narrow to wide.
 *
 * What may not be granted is there with its reason and does nothing.
 */
import { OpenAsks, TaskText } from "@belay/interaction/tasks"
import type { AnswerInput } from "@belay/task-engine"
import { Copy, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Picker from "../vscode/Picker.ts"
import { Refusal } from "../vscode/Bridge.ts"
import * as TextPrompt from "../vscode/TextPrompt.ts"

type Scope = "once" | "task" | "always"

const offerOf = ({ ask }: OpenAsks.Open, scope: Scope) => ask.payload.grants.find((offer) => offer.scope === scope)

/** Why a scope is not offered; `undefined` when it is. */
const refusal = (open: OpenAsks.Open, scope: Scope): string | undefined => {
  if (scope === "once") return undefined
  const offer = offerOf(open, scope)
  if (offer?.allowed === true) return undefined
  return Words.printable(offer?.reason ?? "This ask does not offer it.")
}

const about = (open: OpenAsks.Open) =>
  Effect.map(OpenAsks.factsOf(open), ({ facts, heading }): Picker.Question<never>["about"] => [
    Picker.said(heading, `In ${OpenAsks.placeOf(open)}`),
    ...facts.map(({ label, text }) => Picker.said(label, text.replaceAll("\n", " ⏎ ")))
  ])

/** What would hold, in words, and the only folder in which it would; a yes is a step of its own. */
const confirmAlways = (open: OpenAsks.Open) =>
  Effect.gen(function* () {
    const { folder, rules = [] } = offerOf(open, "always") ?? {}
    if (folder === undefined || rules.length === 0) {
      return yield* new Refusal({ line: "What would be allowed cannot be shown, so it is not. Allow it once." })
    }
    const name = path.basename(folder)
    const where = "It holds for every task in this folder, in the editor and in the terminal, and in no other folder."
    return yield* Picker.choose<AnswerInput>({
      title: `Always allow, asked in "${TaskText.titleOf(open.entry)}"`,
      about: [
        Picker.said(`In ${Words.printable(folder)}`, `${where} "Show What Is Allowed" lists it and takes it back.`)
      ],
      items: [{ label: Copy.alwaysHere(rules.join(", "), name), choice: { decision: "allow", grant: "always" } }]
    })
  })

/** The answer that grants so much. Errors: `Refusal` with the reason when it is not offered. */
export const granting = (open: OpenAsks.Open, scope: Scope) =>
  Effect.gen(function* () {
    const why = refusal(open, scope)
    if (why !== undefined) {
      const word = scope === "task" ? "for this task" : "always"
      return yield* new Refusal({ line: `This cannot be allowed ${word}: ${why}` })
    }
    const given: AnswerInput = { decision: "allow" }
    return scope === "once" ? given : scope === "task" ? { ...given, grant: scope } : yield* confirmAlways(open)
  })

export const denying = (open: OpenAsks.Open) =>
  Effect.map(
    TextPrompt.write({
      key: open.ask.askId,
      title: `Deny, in "${TaskText.titleOf(open.entry)}"`,
      prompt: "Say why, or what to do instead."
    }),
    (text): AnswerInput => ({ decision: "deny", text })
  )

type Answer = Scope | "deny" | "why"

export const choose = (open: OpenAsks.Open) =>
  Effect.gen(function* () {
    const isEdit = open.ask.payload.edits !== undefined
    const item = (label: string, choice: Answer): Picker.Item<Answer> => {
      const why = choice === "task" || choice === "always" ? refusal(open, choice) : undefined
      return why === undefined ? { label, choice } : { label, detail: `Cannot be allowed: ${why}` }
    }
    const yes = isEdit ? "Apply" : "Allow once"
    const no = isEdit ? "Reject" : "Deny"
    const rules = offerOf(open, "task")?.rules ?? []
    const always = offerOf(open, "always")
    const task = item("2  Allow for this task", "task")
    const answer = yield* Picker.choose<Answer>({
      title: `"${TaskText.titleOf(open.entry)}" needs you`,
      about: yield* about(open),
      items: [
        item(`1  ${yes}`, "once"),
        rules.length === 0
          ? task
          : { ...task, detail: `${rules.map(Words.printable).join(", ")}, also in its subtasks` },
        always?.folder === undefined
          ? item("3  Always…", "always")
          : {
              ...item("3  Always…", "always"),
              detail: Copy.alwaysHere(always.rules.join(", "), path.basename(always.folder))
            },
        Picker.line,
        item(`4  ${no}`, "deny"),
        item(`5  ${no}, say why…`, "why")
      ]
    })
    if (answer === "deny") return { decision: "deny" } satisfies AnswerInput
    return answer === "why" ? yield* denying(open) : yield* granting(open, answer)
  })
