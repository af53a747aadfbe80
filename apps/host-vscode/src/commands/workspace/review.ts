/**
 * Review changes, and the answers in a review's title: Apply, Apply with my changes, Reject, Reject and say why.
 *
 * What stands on the proposed side at that moment is what is applied.
 */
import { OpenAsks, TaskStore } from "@belay/interaction/tasks"
import type { AnswerInput } from "@belay/task-engine"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as Answering from "../../asks/Answering.ts"
import * as AskChoice from "../../asks/AskChoice.ts"
import * as AskPicker from "../../asks/AskPicker.ts"
import { command, Refusal } from "../../vscode/Bridge.ts"
import { schemes } from "../../asks/Proposals.ts"
import { Review } from "../../asks/Review.ts"

export const reviewChanges = command("belay.reviewChanges", (element) =>
  Effect.gen(function* () {
    const { open } = yield* Review
    yield* open((yield* AskChoice.given(element, OpenAsks.isEdit)) ?? (yield* AskChoice.pick(OpenAsks.isEdit)))
  })
)

/** The ask that a review shows, and never one that came in its place. `given`: the address of a proposed side. */
const shownBy = (given: unknown) =>
  Effect.gen(function* () {
    const { proposals, together } = yield* Review
    const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri
    const shown = uri?.scheme === schemes.proposed ? proposals.get(uri)?.askId : undefined
    const askId = shown ?? together()
    if (askId === undefined) return yield* new Refusal({ line: "No review is open." })
    const open = OpenAsks.all((yield* TaskStore.TaskStore).now()).find(({ ask }) => ask.askId === askId)
    return open ?? (yield* new Refusal({ line: Copy.askLate }))
  })

const answering = <E, R>(id: string, given: (open: OpenAsks.Open) => Effect.Effect<AnswerInput, E, R>) =>
  command(id, (address) =>
    Effect.gen(function* () {
      const open = yield* shownBy(address)
      yield* Answering.carryOut(open, yield* given(open))
    })
  )

const yes: AnswerInput = { decision: "allow" }
const no: AnswerInput = { decision: "deny" }

export const applyEdit = answering("belay.applyEdit", () => Effect.succeed(yes))

/** The same with another name, for a person who has changed the text. */
export const applyWithChanges = answering("belay.applyWithChanges", () => Effect.succeed(yes))

export const rejectEdit = answering("belay.rejectEdit", () => Effect.succeed(no))

export const rejectEditWithReason = answering("belay.rejectEditWithReason", AskPicker.denying)
