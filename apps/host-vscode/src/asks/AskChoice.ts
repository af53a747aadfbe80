/** The ask that a command is about: the row it was used on, else the one that the person picks. */
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import { AskText } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { late } from "./Answering.ts"
import { Refusal } from "../vscode/Bridge.ts"
import * as Picker from "../vscode/Picker.ts"

type Fits = (open: OpenAsks.Open) => boolean

/** `given`: the element of a row, which is the id of an ask or of a task; the oldest ask of a task that fits. */
export const given = (element: unknown, fits: Fits = () => true) =>
  Effect.gen(function* () {
    if (typeof element !== "string") return undefined
    const snapshot = (yield* TaskStore.TaskStore).now()
    const open = OpenAsks.all(snapshot)
    const found = snapshot.entries.has(element)
      ? open.find((one) => fits(one) && TaskStore.idOf(one.entry) === element)
      : open.find(({ ask }) => ask.askId === element)
    return found ?? (yield* late())
  })

/** Errors: `Refusal` when nothing waits. */
export const pick = (fits: Fits = () => true) =>
  Effect.gen(function* () {
    const open = OpenAsks.all((yield* TaskStore.TaskStore).now()).filter(fits)
    const [first] = open
    if (first === undefined) return yield* new Refusal({ line: "Nothing needs you.", isNews: true })
    if (open.length === 1) return first
    return yield* Picker.choose<OpenAsks.Open>({
      title: "Answer what?",
      about: [Picker.said(`${open.length} answers are waited for, the oldest first`)],
      items: open.map((one) => ({
        label: AskText.line(one.ask),
        description: OpenAsks.placeOf(one),
        choice: one
      }))
    })
  })
