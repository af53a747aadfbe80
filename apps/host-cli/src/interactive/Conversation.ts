/**
 * The task that is shown, with all that is known of it, and what its person wants done with it.
 */
import { Inbox } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { Completions, QueuedMessage, ViewSnapshot } from "@belay/interaction/feed"
import { TaskActions, TaskStore, TaskText } from "@belay/interaction/tasks"
import { SlashCommand } from "@belay/prompt-context"
import type { Given, LiveEvent } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TaskReference from "../tasks/TaskReference.ts"
import { suggestion } from "../cli/Arguments.ts"
import * as Help from "../cli/Help.ts"
import * as Slash from "../terminal/Slash.ts"
import type { Asked } from "./asks/AskFrame.ts"
import type { Beginning } from "./Beginning.ts"
import type { Interface } from "./Interface.ts"
import type { Wishes } from "./Wishes.ts"
import * as OwnCommands from "./OwnCommands.ts"
import type { Transcript } from "./transcript/Transcript.ts"
import * as CallText from "../progress/CallText.ts"
import * as TaskTree from "./tasks/TaskTree.ts"
import { WaitingAsks } from "./asks/WaitingAsks.ts"
import type { Around, Perform } from "./deeds/Around.ts"
import * as Checklists from "./deeds/Checklists.ts"
import * as Choosing from "./deeds/Choosing.ts"
import * as Leaving from "./deeds/Leaving.ts"
import * as Queue from "./deeds/Queue.ts"
import * as Wanted from "./deeds/Wanted.ts"

const isAtWork = ({ text }: TaskStore.Entry): boolean => text.state === "running" || text.state === "waiting"

/** What may be meant. */
const mostOffered = 6

/** The task that is shown at one interface. */
export class Conversation {
  readonly #ui: Interface
  readonly #transcript: Transcript
  readonly #store: TaskStore.TaskStore["Service"]
  readonly #ground: Wanted.Ground
  readonly #perform: Perform
  readonly #beginning: Beginning
  readonly #asks = new WaitingAsks()
  readonly #around: Around
  /** What the calls of tasks of this process are about. */
  readonly #doing = new Map<string, string>()
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
    this.#mode = ground.mode
    this.#around = { ui, store, ground, perform, entry: this.#entry, show: this.#show, know: this.#know }
  }

  readonly isBusy = (): boolean =>
    [...this.#store.now().entries.values()].some((entry) => entry.here && isAtWork(entry))

  /** What is shown first, and what was left here before. */
  readonly start = Effect.suspend(() => {
    const { picks, prompt, task } = this.#beginning
    if (picks) this.#choose()
    if (task !== undefined) return Effect.andThen(this.#transcript.show(task, false), this.#know)
    if (prompt === "" && !picks) this.#offer()
    return this.#know
  })

  /** What of an event counts at once, before it is read from the history. */
  readonly hear = (event: LiveEvent.TaskEvent): void => {
    this.#transcript.take(event)
    if (event.type === "tool.requested") this.#doing.set(event.taskId, CallText.begun(event.name, event.args))
    if (event.type === "task.status" && event.to !== "active") this.#doing.delete(event.taskId)
    if (this.#asks.take(event)) this.#ui.know({ asks: this.#asks.all })
    if (event.taskId !== this.#transcript.task) return
    if (event.type === "task.status") this.#ui.know({ isBusy: event.to === "active" || event.to === "delegated" })
    if (event.type === "ask") this.#ui.know({ isBusy: event.kind === "approval" })
    if (event.type === "ask.settled") this.#ui.know({ isBusy: true, isYourTurn: false })
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
      takeBack: () => Queue.takeBack(this.#around),
      choose: () => this.#choose(),
      leave: () => this.#leave(),
      wrote: this.#beginning.wrote,
      complete: (line, isFirst) => this.#complete(line, isFirst)
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

  /** Tells the interface what is known now, and shows what is not shown yet. */
  readonly #know = Effect.gen({ self: this }, function* () {
    const entry = this.#entry()
    const snapshot = this.#store.now()
    if (entry !== undefined) yield* this.#transcript.catchUp(entry.node.row.lastSeq)
    yield* this.#asks.read(snapshot, this.#transcript)
    const inbox = yield* Inbox
    const queued = entry === undefined ? [] : yield* inbox.queued(TaskStore.idOf(entry))
    const header =
      entry === undefined ? undefined : ViewSnapshot.headerOf(entry, snapshot, { notice: null, trusted: true })
    this.#ui.know({
      header,
      tree: entry === undefined ? [] : TaskTree.of(entry, snapshot, (id) => this.#doing.get(id), this.#ui.form().look),
      mode: entry?.node.row.meta.mode ?? this.#mode,
      asks: this.#asks.all,
      queued: queued
        .filter(QueuedMessage.isPersons)
        .map(({ id, images, text }) => ({ id, pictures: images, text: Words.printableLines(text) })),
      others: snapshot.roots.filter((one) => one.here && isAtWork(one) && one !== entry).length,
      isBusy: entry !== undefined && (isAtWork(entry) || entry.node.openAsks.some(({ kind }) => kind === "approval")),
      isYourTurn:
        entry?.text.state === "needsYou" &&
        entry.here &&
        !entry.node.openAsks.some(({ askId }) => this.#asks.of(askId) !== undefined)
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
    if (command !== undefined && this.#command(command.name, command.rest)) return
    const wish = Effect.gen({ self: this }, function* () {
      const unknown = command === undefined ? undefined : yield* this.#unknown(command.name)
      if (unknown !== undefined) {
        this.#ui.giveBack(text)
        return this.#ui.hint(unknown)
      }
      this.#beginning.sent(text)
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
  readonly #command = (name: string, rest: string): boolean => {
    const own = OwnCommands.named(name)
    if (own !== undefined) this.#own[own](rest)
    else if (name === "help") this.#help()
    else return false
    return true
  }

  /** What is said of a command that nobody knows, which is sent to no task. */
  readonly #unknown = (name: string) =>
    Effect.map(Slash.commandsIn(this.#ground.workspace), (commands) => {
      const names = [...commands, ...OwnCommands.ownCommands].map((known) => known.name)
      if (names.includes(name)) return undefined
      const close = suggestion(name, names)
      return `No command "/${name}": nothing was sent.${close === undefined ? "" : ` Did you mean /${close}?`}`
    })

  readonly #own: { readonly [K in OwnCommands.Name]: (rest: string) => void } = {
    new: () => this.#new(),
    tasks: () => this.#choose(),
    checklist: (rest) => Checklists.checklist(this.#around, rest),
    open: (rest) => this.#openTask(rest),
    resume: () => this.#goOn(),
    stop: () => this.wishes.stop(),
    quit: () => this.#leave()
  }

  readonly #help = (): void => {
    const own = Help.table(OwnCommands.ownCommands.map(({ description, name }) => [`/${name}`, description] as const))
    const wish = Effect.map(Slash.helpOf(this.#ground.workspace), (text) =>
      this.#ui.commit(["", "Of this terminal", ...own, "", ...text.trimEnd().split("\n"), ""])
    )
    this.#perform(wish)
  }

  /** What may be meant by what stands before the caret. */
  readonly #complete = (line: string, isFirst: boolean): void => {
    const workspace = this.#entry()?.node.row.meta.workspace ?? this.#ground.workspace
    const wish = Effect.gen({ self: this }, function* () {
      const { from, items } = yield* (yield* Completions.Completions).of(workspace, line, isFirst)
      const own = isFirst ? OwnCommands.beginning(line) : []
      const ours = own.map(({ description, name }) => ({ insert: `/${name}`, label: `/${name}`, detail: description }))
      this.#ui.offer(line, from, [...ours, ...items].slice(0, mostOffered))
    })
    this.#perform(wish)
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

  /** What is sent next begins a task. */
  readonly #new = (): void => {
    this.#transcript.leave()
    this.#offered = undefined
    this.#ui.tell(["", "What you send next begins a new task.", ""])
    this.refresh()
  }

  readonly #openTask = (reference: string): void => {
    if (reference === "") return this.#choose()
    const wish = Effect.gen({ self: this }, function* () {
      const id = yield* TaskReference.resolve(reference, this.#ground.workspace)
      yield* this.#show(id, false)
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
    const open = this.#asks.of(ask.askId)
    if (open === undefined) return this.#ui.hint("This was already answered.")
    this.#perform(Effect.andThen(Wanted.answer(this.#ground, open, given), this.#store.refresh))
  }

  readonly #choose = (): void => Choosing.open(this.#around)

  readonly #leave = (): void =>
    Leaving.leave(this.#around, () => this.#perform(Deferred.succeed(this.#beginning.left, 0)))
}
