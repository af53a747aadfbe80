/**
 * A session that a client has open: the last task of its thread, as far as the client has been told of it, and the prompt
 * that waits for its end.
 */
import type * as Protocol from "@agentclientprotocol/sdk"
import type { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { LiveEvent } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import type { ServerFile } from "@belay/tool-executor/mcp"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Chosen } from "./Choices.ts"
import type { Client } from "./Client.ts"
import * as Mapping from "./Mapping.ts"
import type * as Update from "./Update.ts"
import type { Prompt } from "./Prompt.ts"
import type { Refused } from "./Refused.ts"

/** A prompt that is not answered yet. */
export interface Turn {
  readonly done: Deferred.Deferred<Protocol.StopReason, Refused>
  isCancelled: boolean
}

/** Events that are read at once. */
const atOnce = 400

type Fails = Effect.Error<ReturnType<TaskHistory["Service"]["events"]>>

export class Session {
  readonly id: TaskId.TaskId
  readonly workspace: string
  readonly #client: Client
  /** One look at how things stand at a time. */
  readonly lock = Semaphore.makeUnsafe(1)
  chosen: Chosen
  /** Something was chosen that the task that runs does not know. */
  isChanged = false
  /** The MCP servers that its client has passed. */
  servers: ReadonlyMap<string, ServerFile.Definition> = new Map()
  turn: Turn | undefined
  /** Prompts that have come and are not said yet. */
  readonly arriving = new Set<Turn>()
  /** The last task of the thread; none before the first prompt. */
  tip: TaskId.TaskId | undefined
  /** Why the run of the tip ended badly. */
  failure: Refused | undefined
  /** Since when the tip is run by this process, in ms since 1970. */
  runsSince: number | undefined
  /** Calls of subtasks that the client has a row of. */
  readonly shown = new Set<string>()
  #mapping: Mapping.Mapping | undefined
  #next = 1
  readonly #sent = new Set<string>()

  constructor(id: TaskId.TaskId, workspace: string, client: Client, chosen: Chosen) {
    this.id = id
    this.workspace = workspace
    this.#client = client
    this.chosen = chosen
  }

  readonly update = (update: Update.Update): void => this.#client.update(this.id, update)

  readonly send = (update: Protocol.SessionUpdate): void => this.#client.send(this.id, update)

  /** Another task goes on from here. */
  readonly begin = (tip: TaskId.TaskId, mapping = Mapping.make(tip, this.workspace), next = 1): void => {
    this.tip = tip
    this.failure = undefined
    this.runsSince = undefined
    this.#mapping = mapping
    this.#next = next
  }

  /** What the client has sent itself is not told back to it. */
  readonly isSending = ({ attached, text }: Prompt): void => {
    this.#sent.add(Words.printableLines(text).trim())
    for (const block of attached) {
      this.#sent.add(block.type === "text" ? Words.printableLines(block.text).trim() : block.source.data)
    }
  }

  /** An event of the tip; one that comes before another that has not come is left to `catchUp`. */
  readonly take = (event: LiveEvent.TaskEvent): void => {
    if (LiveEvent.isDurable(event)) {
      if (event.seq !== this.#next) return
      this.#next += 1
    }
    for (const update of this.#mapping?.add(event) ?? []) if (!this.#isOwn(update)) this.update(update)
  }

  /** Takes what was stored up to this `seq` and has not come. */
  readonly catchUp = (history: TaskHistory["Service"], seq: number): Effect.Effect<void, Fails> =>
    Effect.gen({ self: this }, function* () {
      const { tip } = this
      for (;;) {
        if (tip === undefined || tip !== this.tip || this.#next > seq) return
        const found = yield* history.events(tip, this.#next, atOnce)
        if (found.length === 0 || tip !== this.tip) return
        for (const event of found) this.take(event)
      }
    })

  readonly #isOwn = (update: Update.Update): boolean => {
    if (update.type === "picture") return this.#sent.delete(update.data)
    return update.type === "said" && update.by === "user" && this.#sent.delete(update.text.trim())
  }
}
