/**
 * Asks of any task below a session, put to its client: one at a time, whatever process runs the task.
 *
 * An ask is a record: the first answer counts, wherever it is given, and then the client's is withdrawn. Silence is no
 * answer: the ask stays open, and the task is stopped.
 */
import type * as Protocol from "@agentclientprotocol/sdk"
import { type History, TaskHistory } from "@belay/history-store"
import { AskText } from "@belay/interaction"
import { AskFacts, TaskStore } from "@belay/interaction/tasks"
import { type AnswerInput, TaskEngine } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Wanted from "../interactive/deeds/Wanted.ts"
import type { Services } from "./Running.ts"
import type { Client } from "./Client.ts"
import type * as Update from "./Update.ts"
import * as Calls from "./Calls.ts"
import * as Render from "./RenderV1.ts"
import type { Session } from "./Session.ts"

/** An ask of a task, by its id. */
interface Asked {
  readonly session: Session
  readonly taskId: TaskId.TaskId
  readonly askId: string
}

interface Parts {
  readonly client: Client
  readonly ground: (session: Session) => Effect.Effect<Wanted.Ground, unknown>
  /** The client has given no answer. */
  readonly unanswered: (session: Session) => void
  readonly perform: (wish: Effect.Effect<unknown, unknown, Services>) => void
}

/** Characters of a file that are shown. */
const largest = 1_000_000

const found = ({ askId, taskId }: Asked) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const row = Option.getOrUndefined(yield* history.row(taskId))
    const ask = (yield* history.asks(taskId)).find((one) => one.askId === askId && one.open)
    return row === undefined || ask === undefined ? undefined : { ask, row }
  })

const optionsOf = ({ payload: { grants } }: History.Ask): Array<Protocol.PermissionOption> => {
  const offers = (scope: "task" | "always") => grants.find((one) => one.scope === scope && one.allowed)
  const named = (scope: "task" | "always", where: string): Array<Protocol.PermissionOption> => {
    const offer = offers(scope)
    if (offer === undefined) return []
    return [{ optionId: scope, name: `Allow ${offer.rules.join(", ")} ${where}`, kind: "allow_always" }]
  }
  return [
    { optionId: "allow", name: "Allow once", kind: "allow_once" },
    ...named("task", "for this task"),
    ...named("always", "always in this project"),
    { optionId: "reject", name: "Reject", kind: "reject_once" }
  ]
}

const answers: Readonly<Record<string, AnswerInput>> = {
  allow: { decision: "allow" },
  task: { decision: "allow", grant: "task" },
  always: { decision: "allow", grant: "always" }
}

/** What would be written, where this process has it, and what is known besides. */
const contentOf = (asked: Asked, { ask, row }: { readonly ask: History.Ask; readonly row: History.TaskRow }) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const isHere = engine.running().has(asked.taskId)
    const proposals = isHere ? yield* Effect.orElseSucceed(engine.proposals(asked.taskId, asked.askId), () => []) : []
    const diffs = proposals.flatMap(({ contents, summary }): ReadonlyArray<Update.Content> => {
      if (contents === undefined || contents.proposed.length + (contents.base?.length ?? 0) > largest) return []
      return [{ type: "diff", path: summary.resolved, before: contents.base ?? null, after: contents.proposed }]
    })
    const { facts } = AskFacts.of(ask, row.meta.workspace)
    const text = facts.map(({ label, text }) => `${label}: ${text}`).join("\n")
    return [...diffs, ...(text === "" ? [] : [{ type: "text", text } as const])]
  })

export class Asking {
  readonly #parts: Parts
  readonly #known = new Set<string>()
  readonly #waiting: Array<Asked> = []
  /** What each client is asked now, by session. */
  readonly #open = new Map<Session, Asked & { readonly withdrawal: AbortController }>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Puts an ask, once. */
  readonly put = (asked: Asked): void => {
    if (this.#known.has(asked.askId)) return
    this.#known.add(asked.askId)
    this.#waiting.push(asked)
    this.#next(asked.session)
  }

  /** It was answered, or its task has stopped. */
  readonly drop = (isOver: (asked: Asked) => boolean): void => {
    const left = this.#waiting.filter((one) => !isOver(one))
    this.#waiting.splice(0, Infinity, ...left)
    for (const [session, asked] of this.#open) {
      if (!isOver(asked)) continue
      this.#open.delete(session)
      asked.withdrawal.abort()
      this.#next(session)
    }
  }

  /** Those that a client is asked now. */
  readonly now = (): Iterable<Asked> => this.#open.values()

  readonly #next = (session: Session): void => {
    if (this.#open.has(session)) return
    const at = this.#waiting.findIndex((one) => one.session === session)
    const [asked] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (asked === undefined) return
    const withdrawal = new AbortController()
    this.#open.set(session, { ...asked, withdrawal })
    this.#parts.perform(this.#ask(asked, withdrawal))
  }

  readonly #isOpen = ({ askId, session }: Asked): boolean => this.#open.get(session)?.askId === askId

  readonly #ask = (asked: Asked, withdrawal: AbortController) =>
    Effect.gen({ self: this }, function* () {
      const known = yield* found(asked)
      if (known === undefined || !this.#isOpen(asked)) return this.#done(asked)
      const call = yield* this.#shown(asked, known)
      const response = yield* Effect.promise(() =>
        this.#parts.client
          .permission(
            { sessionId: asked.session.id, toolCall: Render.callOf(call), options: optionsOf(known.ask) },
            withdrawal.signal
          )
          .catch(() => undefined)
      )
      if (!this.#isOpen(asked)) return
      this.#done(asked)
      if (response?.outcome.outcome !== "selected") return this.#parts.unanswered(asked.session)
      yield* this.#answer(asked, known.ask, answers[response.outcome.optionId] ?? { decision: "deny" })
    })

  readonly #done = (asked: Asked): void => {
    if (this.#isOpen(asked)) this.#open.delete(asked.session)
    this.#next(asked.session)
  }

  /** The row of the call, which the client does not have of a subtask's. */
  readonly #shown = (asked: Asked, known: { readonly ask: History.Ask; readonly row: History.TaskRow }) =>
    Effect.map(contentOf(asked, known), (content) => {
      const { ask, row } = known
      const { session, taskId } = asked
      const { args, tool } = AskText.callOf(ask.payload.question ?? "")
      const begun = Calls.begun({ callId: ask.callId ?? ask.askId, name: tool, args }, taskId, row.meta.workspace)
      const isOwn = taskId === session.tip
      const call = { ...begun, title: isOwn ? begun.title : `[${row.meta.title}] ${begun.title}`, content }
      if (!isOwn && !session.shown.has(call.id)) {
        session.shown.add(call.id)
        session.update({ type: "call", call })
      } else session.update({ type: "change", call: { id: call.id, content } })
      return call
    })

  readonly #answer = ({ askId, session, taskId }: Asked, ask: History.Ask, given: AnswerInput) =>
    Effect.gen({ self: this }, function* () {
      const engine = yield* TaskEngine
      const entry = yield* (yield* TaskStore.TaskStore).find(taskId)
      if (engine.running().has(taskId)) {
        return yield* Effect.catchTag(engine.answer(taskId, askId, given), "RequestRefused", () => Effect.void)
      }
      if (entry !== undefined) yield* Wanted.answer(yield* this.#parts.ground(session), { ask, entry }, given)
    })
}
