/**
 * What waits for the person, of every task that runs anywhere: the oldest first, each as it was first read.
 *
 * What ends a wait in this process counts at once; all else when it is read from the history.
 */
import { AskText, type View } from "@belay/interaction"
import { ViewSnapshot } from "@belay/interaction/unstable/feed"
import { type AskFacts, OpenAsks, TaskStore, TaskText } from "@belay/interaction/tasks"
import { type LiveEvent, TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as ApprovalText from "../../terminal/ApprovalText.ts"
import * as Wanted from "../deeds/Wanted.ts"
import type { Asked } from "./AskFrame.ts"
import type { Transcript } from "../transcript/Transcript.ts"

/** What would happen, whole; of a task of another process without its changes. */
const bodyOf = ({ ask, entry }: OpenAsks.Open) =>
  Effect.gen(function* () {
    const { callId, kind, payload } = ask
    if (!AskText.decides(ask)) return []
    const id = TaskStore.idOf(entry)
    const engine = yield* TaskEngine
    const proposals = yield* Effect.orElseSucceed(engine.proposals(id, ask.askId), () => [])
    const call = callId === null ? {} : { callId }
    const asked = { ...payload, ...call, askId: ask.askId, kind, taskId: id, title: TaskText.titleOf(entry) }
    return ApprovalText.of(asked, proposals, entry.node.row.meta.workspace).body
  })

const isLimit = ({ ask: { kind } }: OpenAsks.Open): boolean => kind === "budget" || kind === "context"

/** A limit is answered by what is done about it. */
const askOf = (open: OpenAsks.Open, facts: AskFacts.Facts): View.Ask => {
  const ask = ViewSnapshot.askOf(open, facts)
  return ask.kind === "limit" ? { ...ask, options: Wanted.raisesOf(open).map(({ title }) => title) } : ask
}

type Read = Pick<Asked, "body"> & { readonly facts: AskFacts.Facts }

/** The asks that are open. */
export class WaitingAsks {
  readonly #read = new Map<string, Read>()
  #open = new Map<string, OpenAsks.Open>()
  #all: ReadonlyArray<Asked> = []

  get all(): ReadonlyArray<Asked> {
    return this.#all
  }

  readonly of = (askId: string): OpenAsks.Open | undefined => this.#open.get(askId)

  /** Does something with one, where it is open. */
  readonly withOpen = (askId: string, deed: (open: OpenAsks.Open) => void): void => {
    const open = this.#open.get(askId)
    if (open !== undefined) deed(open)
  }

  /** An event of this process; says whether something waits no more. */
  readonly take = (event: LiveEvent.TaskEvent): boolean => {
    const before = this.#open.size
    for (const [askId, { entry }] of this.#open) {
      const isAnswered = event.type === "ask.settled" && event.askId === askId
      const hasStopped = event.type === "task.status" && event.to !== "active" && TaskStore.idOf(entry) === event.taskId
      if (isAnswered || hasStopped) this.#open.delete(askId)
    }
    this.#all = this.#all.filter(({ ask }) => this.#open.has(ask.askId))
    return this.#open.size < before
  }

  /** Reads them; the end of an answer of the task that is shown is no question: what is written next goes on. */
  readonly read = (snapshot: TaskStore.Snapshot, { said, task }: Pick<Transcript, "said" | "task">) =>
    Effect.gen({ self: this }, function* () {
      const isQuiet = ({ ask, entry }: OpenAsks.Open) =>
        ask.kind === "completion" ||
        (ask.kind === "question" &&
          TaskStore.idOf(entry) === task &&
          (ask.payload.question ?? "").trim() === said.trim())
      const shownRoot = snapshot.entries.get(task ?? "")?.rootId
      // A task that a limit has stopped is run by nobody.
      const isOurs = (one: OpenAsks.Open) =>
        one.entry.here || OpenAsks.isLive(one) || (isLimit(one) && one.entry.rootId === shownRoot)
      const open = OpenAsks.all(snapshot).filter((one) => isOurs(one) && !isQuiet(one))
      const all = yield* Effect.forEach(open, (one) =>
        Effect.gen({ self: this }, function* () {
          const { askId } = one.ask
          const read = this.#read.get(askId) ?? { facts: yield* OpenAsks.factsOf(one), body: yield* bodyOf(one) }
          this.#read.set(askId, read)
          return { ask: askOf(one, read.facts), body: read.body, place: OpenAsks.placeOf(one) }
        })
      )
      for (const askId of this.#read.keys()) if (!open.some(({ ask }) => ask.askId === askId)) this.#read.delete(askId)
      this.#open = new Map(open.map((one) => [one.ask.askId, one]))
      this.#all = all
    })
}
