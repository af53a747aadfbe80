/**
 * The answers to what waits for a person: of a row by its button or menu, else of what is picked first.
 *
 * Without a row nothing is allowed by the command alone: the ask is shown with its answers.
 */
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import type { AnswerInput } from "@belay/task-engine"
import { AskText } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as Answering from "../../asks/Answering.ts"
import * as AskChoice from "../../asks/AskChoice.ts"
import * as AskPicker from "../../asks/AskPicker.ts"
import { Bridge, command, perform, Refusal } from "../../vscode/Bridge.ts"
import * as Questions from "../../asks/Questions.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"

const decides = ({ ask }: OpenAsks.Open): boolean => AskText.decides(ask)

const chooseAndAnswer = (open: OpenAsks.Open) =>
  Effect.gen(function* () {
    const given =
      open.ask.kind === "approval" ? yield* AskPicker.choose(yield* Answering.live(open)) : yield* Questions.ask(open)
    if (given !== "done") yield* Answering.carryOut(open, given)
  })

const decision = <E, R>(id: string, given: (open: OpenAsks.Open) => Effect.Effect<AnswerInput, E, R>) =>
  command(id, (element) =>
    Effect.gen(function* () {
      const open = yield* AskChoice.given(element, decides)
      if (open === undefined) return yield* chooseAndAnswer(yield* AskChoice.pick())
      yield* Answering.carryOut(open, yield* given(yield* Answering.live(open)))
    })
  )

export const allowOnce = decision("belay.allowOnce", (open) => AskPicker.granting(open, "once"))

export const allowForTask = decision("belay.allowForTask", (open) => AskPicker.granting(open, "task"))

export const allowAlways = decision("belay.allowAlways", (open) => AskPicker.granting(open, "always"))

export const deny = decision("belay.deny", () => Effect.succeed({ decision: "deny" }))

export const denyWithReason = decision("belay.denyWithReason", AskPicker.denying)

/** What was shown last: the next one follows it, and after the last one comes the first again. */
let last = ""

/** In the Task view, with the focus on its answers. */
export const nextNeedsYou = command("belay.nextNeedsYou", () =>
  Effect.gen(function* () {
    const open = OpenAsks.all((yield* TaskStore.TaskStore).now())
    const next = open.find(({ ask }) => ask.askId > last) ?? open[0]
    if (next === undefined) return yield* new Refusal({ line: "Nothing needs you.", isNews: true })
    last = next.ask.askId
    const { surfaces } = yield* Bridge
    const shown = yield* ShownTask
    shown.show(TaskStore.idOf(next.entry))
    yield* perform(() => vscode.commands.executeCommand("belay.task.focus"))
    surfaces.focus?.("dock")
  })
)

/** Shows what is asked with its answers. */
export const answer = command("belay.answer", (element) =>
  Effect.gen(function* () {
    yield* chooseAndAnswer((yield* AskChoice.given(element)) ?? (yield* AskChoice.pick()))
  })
)
