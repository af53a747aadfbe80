/**
 * The task that is shown, with all that is known of it, and what its person wants done with it.
 */
import { Inbox, type Ownership, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { QueuedMessage, ViewSnapshot } from "@belay/interaction/feed"
import { type AskFacts, OpenAsks, TaskActions, TaskStore, TaskText } from "@belay/interaction/tasks"
import { SlashCommand } from "@belay/prompt-context"
import { type Given, type LiveEvent, TaskEngine } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ExitCode } from "../cli/Failure.ts"
import type { RunOptions } from "../session/RunOptions.ts"
import * as Slash from "../terminal/Slash.ts"
import type { Asked } from "./AskFrame.ts"
import type { Interface, Wishes } from "./Interface.ts"
import type { Transcript } from "./Transcript.ts"
import * as Wanted from "./Wanted.ts"

/** What is there to do something with. */
export type Services = TaskEngine | TaskHistory | TaskStore.TaskStore | Inbox | Ownership

/** What the interface begins with. */
export interface Beginning {
  readonly directory: string
  readonly workspace: string
  readonly options: RunOptions
  /** The task that is shown first. */
  readonly task: TaskId.TaskId | undefined
  /** Said at once; may be empty. */
  readonly prompt: string
  /** Ends with the exit code once the person or the terminal is gone. */
  readonly left: Deferred.Deferred<ExitCode>
  readonly wrote: (text: string) => void
  readonly sent: (text: string) => void
}

/** Does something by itself; `failed` is called where it could not be done, which was told. */
type Perform = <A, E>(wish: Effect.Effect<A, E, Services>, failed?: () => void) => void

const isAtWork = ({ text }: TaskStore.Entry): boolean => text.state === "running" || text.state === "waiting"

const plural = (n: number): string => `${n} ${n === 1 ? "task is" : "tasks are"} running`

/** The task that is shown at one interface. */
export class Conversation {
  readonly #ui: Interface
  readonly #transcript: Transcript
  readonly #store: TaskStore.TaskStore["Service"]
  readonly #ground: Wanted.Ground
  readonly #perform: Perform
  readonly #beginning: Beginning
  readonly #facts = new Map<string, AskFacts.Facts>()
  #asks: ReadonlyArray<Asked> = []
  /** By the ids of asks. */
  #open = new Map<string, OpenAsks.Open>()
  /** Of a task that is about to begin. */
  #mode: "plan" | "act"
  /** Stopped in this folder before, and gone on with by an Enter. */
  #offered: TaskId.TaskId | undefined

  constructor(
    ui: Interface,
    transcript: Transcript,
    store: TaskStore.TaskStore["Service"],
    ground: Wanted.Ground,
    perform: Perform,
    beginning: Beginning
  ) {
    this.#ui = ui
    this.#transcript = transcript
    this.#store = store
    this.#ground = ground
    this.#perform = perform
    this.#beginning = beginning
    this.#mode = beginning.options.mode ?? "act"
  }

  readonly isBusy = (): boolean =>
    [...this.#store.now().entries.values()].some((entry) => entry.here && isAtWork(entry))

  /** What is shown first, and what was left here before. */
  readonly start = Effect.suspend(() => {
    const { prompt, task } = this.#beginning
    if (task !== undefined) return Effect.andThen(this.#transcript.show(task, false), this.#know)
    if (prompt === "") this.#offer()
    return this.#know
  })

  /** What of an event counts at once, before it is read from the history. */
  readonly hear = (event: LiveEvent.TaskEvent): void => {
    this.#transcript.take(event)
    if (event.type === "ask.settled") this.#drop(({ ask }) => ask.askId === event.askId)
    if (event.type === "task.status" && event.to !== "active")
      this.#drop(({ entry }) => TaskStore.idOf(entry) === event.taskId)
    if (event.taskId !== this.#transcript.task) return
    if (event.type === "task.status") this.#ui.know({ isBusy: event.to === "active" || event.to === "delegated" })
    if (event.type === "ask") this.#ui.know({ isBusy: event.kind === "approval" })
    if (event.type === "ask.settled") this.#ui.know({ isBusy: true, isYourTurn: false })
  }

  /** These wait no more. */
  readonly #drop = (isOver: (open: OpenAsks.Open) => boolean): void => {
    for (const [askId, open] of this.#open) if (isOver(open)) this.#open.delete(askId)
    this.#asks = this.#asks.filter(({ ask }) => this.#open.has(ask.askId))
    this.#ui.know({ asks: this.#asks })
  }

  /** Something has changed, here or elsewhere. */
  readonly refresh = (): void => this.#perform(this.#know)

  get wishes(): Wishes {
    return {
      send: (text) => this.#send(text),
      goOn: () => this.#goOn(),
      stop: () => {
        const entry = this.#entry()
        if (entry !== undefined) this.#perform(Effect.andThen(Wanted.stop(entry), this.#store.refresh))
      },
      switchMode: (mode) => this.#switch(mode),
      answer: (asked, given) => this.#answer(asked, given),
      leave: () => this.#leave(),
      wrote: this.#beginning.wrote
    }
  }

  readonly #entry = (): TaskStore.Entry | undefined => this.#store.now().entries.get(this.#transcript.task ?? "")

  /** The newest of this folder that waits to be gone on with. */
  readonly #offer = (): void => {
    const entry = this.#store
      .now()
      .roots.find((one) => TaskActions.isStopped(one) && one.node.row.meta.workspace === this.#ground.workspace)
    if (entry === undefined) return
    this.#offered = TaskStore.idOf(entry)
    this.#ui.tell([
      `"${TaskText.titleOf(entry)}" is not finished (${TaskText.stateOf(entry)}). Enter goes on with it.`,
      ""
    ])
  }

  readonly #asksOf = (snapshot: TaskStore.Snapshot) =>
    Effect.gen({ self: this }, function* () {
      const { said, task } = this.#transcript
      // The end of an answer is no question: what is written next goes on.
      const isQuiet = ({ ask, entry }: OpenAsks.Open) =>
        ask.kind === "completion" ||
        (ask.kind === "question" &&
          TaskStore.idOf(entry) === task &&
          (ask.payload.question ?? "").trim() === said.trim())
      const open = OpenAsks.all(snapshot).filter((one) => (one.entry.here || OpenAsks.isLive(one)) && !isQuiet(one))
      this.#open = new Map(open.map((one) => [one.ask.askId, one]))
      return yield* Effect.forEach(open, (one) =>
        Effect.gen({ self: this }, function* () {
          const known = this.#facts.get(one.ask.askId) ?? (yield* OpenAsks.factsOf(one))
          this.#facts.set(one.ask.askId, known)
          return { ask: ViewSnapshot.askOf(one, known), place: OpenAsks.placeOf(one) } satisfies Asked
        })
      )
    })

  /** Tells the interface what is known now, and shows what is not shown yet. */
  readonly #know = Effect.gen({ self: this }, function* () {
    const entry = this.#entry()
    const snapshot = this.#store.now()
    if (entry !== undefined) yield* this.#transcript.catchUp(entry.node.row.lastSeq)
    const asks = yield* this.#asksOf(snapshot)
    this.#asks = asks
    const inbox = yield* Inbox
    const queued = entry === undefined ? [] : yield* inbox.queued(TaskStore.idOf(entry))
    const header =
      entry === undefined ? undefined : ViewSnapshot.headerOf(entry, snapshot, { notice: null, trusted: true })
    this.#ui.know({
      header,
      mode: entry?.node.row.meta.mode ?? this.#mode,
      asks,
      queued: queued
        .filter(QueuedMessage.isPersons)
        .map(({ id, images, text }) => ({ id, pictures: images, text: Words.printableLines(text) })),
      others: snapshot.roots.filter((one) => one.here && isAtWork(one) && one !== entry).length,
      isBusy: entry !== undefined && (isAtWork(entry) || entry.node.openAsks.some(({ kind }) => kind === "approval")),
      isYourTurn:
        entry?.text.state === "needsYou" &&
        entry.here &&
        !entry.node.openAsks.some(({ askId }) => this.#open.has(askId))
    })
  })

  readonly #show = (id: TaskId.TaskId, begins: boolean) =>
    Effect.gen({ self: this }, function* () {
      if (id === this.#transcript.task) return yield* this.#store.refresh
      this.#offered = undefined
      yield* this.#transcript.show(id, begins)
      yield* this.#store.find(id)
      yield* this.#know
    })

  readonly #send = (text: string): void => {
    const command = SlashCommand.parse(text)
    if (command !== undefined && this.#command(command.name)) return
    this.#beginning.sent(text)
    const wish = Effect.gen({ self: this }, function* () {
      const entry = this.#entry()
      const id =
        entry === undefined
          ? yield* Wanted.begin(this.#ground, text, this.#mode)
          : yield* Wanted.say(this.#ground, entry, text)
      yield* this.#show(id, true)
    })
    this.#perform(wish, () => this.#ui.giveBack(text))
  }

  /** What only the interface does; false for what goes to the task. */
  readonly #command = (name: string): boolean => {
    switch (name) {
      case "quit":
      case "exit":
        this.#leave()
        return true
      case "help":
        this.#perform(
          Effect.map(Slash.helpOf(this.#ground.workspace), (text) =>
            this.#ui.commit(["", ...text.trimEnd().split("\n"), ""])
          )
        )
        return true
      case "resume":
        this.#goOn()
        return true
      case "stop":
        this.wishes.stop()
        return true
      default:
        return false
    }
  }

  /** A stopped task goes on: the one that is shown, or the one that was offered. */
  readonly #goOn = (): void => {
    const entry = this.#entry() ?? this.#store.now().entries.get(this.#offered ?? "")
    if (entry === undefined) return
    const wish = Effect.gen({ self: this }, function* () {
      const id = TaskStore.idOf(entry)
      if ((yield* Wanted.standing(id)) !== "stopped") return
      yield* this.#show(id, false)
      yield* Wanted.resume(this.#ground, entry, "")
      yield* this.#store.refresh
    })
    this.#perform(wish)
  }

  readonly #switch = (mode: "plan" | "act"): void => {
    const entry = this.#entry()
    if (entry !== undefined) return this.#perform(Effect.andThen(Wanted.switchMode(entry, mode), this.#store.refresh))
    this.#mode = mode
    this.#ui.know({ mode })
  }

  readonly #answer = ({ ask }: Asked, given: Given | "starts"): void => {
    const open = this.#open.get(ask.askId)
    if (open === undefined) return this.#ui.hint("This was already answered.")
    this.#perform(Effect.andThen(Wanted.answer(this.#ground, open, given), this.#store.refresh))
  }

  /** Asks first where something is at work. */
  readonly #leave = (): void => {
    const leave = (): void => this.#perform(Deferred.succeed(this.#beginning.left, 0))
    const wish = Effect.gen({ self: this }, function* () {
      const history = yield* TaskHistory
      const running = [...(yield* TaskEngine).running()]
      // What is shown may be older than what waits for the person since.
      const asks = yield* Effect.forEach(running, (id) => history.asks(id))
      const n = asks.filter((all) => !all.some(({ open }) => open)).length
      if (n === 0) return leave()
      const it = n === 1 ? "it" : "them"
      this.#ui.confirm(`${plural(n)}. Leaving stops ${it}; nothing is lost. Leave? [y/N]`, leave)
    })
    this.#perform(wish, leave)
  }
}
