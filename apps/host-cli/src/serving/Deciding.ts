/**
 * What only a person decides, put to the person of the client while a call waits: never to its model.
 *
 * Only an answer that was accepted settles anything. One that was declined or cancelled is no word of a person, since
 * clients give it where nobody is; where the server is told to wait, the ask stays open for other hosts, else it is denied.
 */
import { acceptedContent, inputRequired, inputResponse } from "@modelcontextprotocol/server"
import { AskText, Words } from "@belay/interaction"
import { Interruption, Saying, type TaskNode } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import { z } from "zod"
import * as Row from "./Row.ts"

/** What becomes of an ask where no person is. */
export type Unattended = "deny" | "wait"

const decision = z.object({ decision: z.enum(["allow", "deny"]).describe("allow: it runs, this once") })

type Responses = Record<string, unknown> | undefined

const keyOf = ({ ask }: Row.Open): string => `ask-${ask.askId}`

const said = ({ ask, title }: Row.Open): string => {
  const { reason, rule } = ask.payload
  const why = reason ?? (rule === undefined ? undefined : `rule ${rule}`)
  return `"${Words.printable(title)}" asks: ${AskText.line(ask)}${why === undefined ? "" : ` (${Words.printable(why)})`}`
}

/** The request that puts an ask to the person of the client. */
const put = (open: Row.Open) =>
  inputRequired({
    inputRequests: { [keyOf(open)]: inputRequired.elicit({ message: said(open), requestedSchema: decision }) }
  })

/** The asks that a person has to decide, of which a yes or a no says everything. */
const isDecided = ({ ask }: Row.Open): boolean => ask.kind === "approval"

const nobody = "Nobody is there to allow it."

const answer = ({ ask, taskId }: Row.Open, given: "allow" | "deny", text?: string) =>
  // Another answer came first: it counts.
  Effect.ignore(
    Saying.say(taskId, { kind: "answer", askId: ask.askId, decision: given, ...(text === undefined ? {} : { text }) })
  )

/**
 * Settles what came with a call, and says what is still to be put to a person. `left`: asks that a person of this client
 * has left open.
 */
export const decide = (
  nodes: ReadonlyArray<TaskNode.TaskNode>,
  responses: Responses,
  {
    canAsk,
    left,
    unattended
  }: { readonly canAsk: boolean; readonly left: Set<string>; readonly unattended: Unattended }
) =>
  Effect.gen(function* () {
    for (const node of nodes) {
      for (const open of Row.openIn(node)) {
        const { askId } = open.ask
        if (Row.isForModel(open.ask) || left.has(askId)) continue
        const accepted = isDecided(open) ? acceptedContent(responses, keyOf(open), decision) : undefined
        if (accepted !== undefined) {
          yield* answer(open, accepted.decision)
          left.add(askId)
          continue
        }
        const isAsked = inputResponse(responses, keyOf(open)).kind === "elicit"
        if (isDecided(open) && canAsk && !isAsked) return put(open)
        left.add(askId)
        if (unattended === "wait") continue
        // A limit that was reached has nobody who raises it: it stops with its ask open.
        if (isDecided(open)) yield* answer(open, "deny", nobody)
        else yield* Effect.ignore(Interruption.interrupt(node.row.record.id))
      }
    }
    return undefined
  })
