/**
 * The task that is shown, with all that is known of it, and what its person wants done with it.
 */
import { Inbox } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { QueuedMessage, RelayedWords, ViewSnapshot } from "@belay/interaction/unstable/feed"
import { TaskActions, TaskStore, TaskText } from "@belay/interaction/tasks"
import type { Message } from "@belay/message-state"
import { SlashCommand } from "@belay/prompt-context"
import { Settings } from "@belay/settings"
import type { AnswerInput, LiveEvent } from "@belay/task-engine"
import { TaskNode } from "@belay/task-engine/remote"
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TaskReference from "../tasks/TaskReference.ts"
import * as Clipboard from "../terminal/Clipboard.ts"
import type { Asked } from "./asks/AskFrame.ts"
import type { Beginning } from "./Beginning.ts"
import type { Face } from "./Face.ts"
import type { Wishes } from "./Wishes.ts"
import type { Transcript } from "./transcript/Transcript.ts"
import * as CallText from "../progress/CallText.ts"
import * as TaskTree from "./tasks/TaskTree.ts"
import { WaitingAsks } from "./asks/WaitingAsks.ts"
import type { Ground, Perform } from "./deeds/Around.ts"
import * as Commands from "./deeds/Commands.ts"
import * as Choosing from "./deeds/Choosing.ts"
import * as Copying from "./deeds/Copying.ts"
import * as Editing from "./deeds/Editing.ts"
import * as Explaining from "./deeds/Explaining.ts"
import * as Leaving from "./deeds/Leaving.ts"
import * as Looking from "./deeds/Looking.ts"
import * as ModelChoice from "./deeds/ModelChoice.ts"
import * as Queue from "./deeds/Queue.ts"
import * as GoingBack from "./deeds/GoingBack.ts"
import * as Shell from "./deeds/Shell.ts"
import * as Wanted from "./deeds/Wanted.ts"

const isAtWork = ({ text }: TaskStore.Entry): boolean => text.state === "running" || text.state === "waiting"

export class Conversation {
  readonly #ui: Face
  readonly #transcript: Transcript
  readonly #store: TaskStore.TaskStore["Service"]
  readonly #ground: Ground
  readonly #perform: Perform
  readonly #beginning: Beginning
  readonly #asks = new WaitingAsks()
  readonly #given: Commands.Given
  /** What the calls of tasks of this process are about. */
  readonly #doing = new Map<string, string>()
  readonly #relayed: RelayedWords
  /** What is sent next to this task begins another one, after this message. */
  #branch: { readonly task: TaskId.TaskId; readonly at: number } | undefined
  /** Of a task that is about to begin. */
  #mode: "plan" | "act"
  /** Stopped in this folder before, and gone on with by an Enter. */
  #offered: TaskId.TaskId | undefined

  constructor(
    ui: Face,
    transcript: Transcript,
    store: TaskStore.TaskStore["Service"],
    ground: Ground,
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
    this.#relayed = new RelayedWords(beginning.directory, transcript.hear, perform)
    const mode = () => this.#entry()?.node.row.meta.mode ?? this.#mode
    const around = {
      ui,
      store,
      ground,
      perform,
      mode,
      entry: this.#entry,
      show: this.#show,
      know: this.#know,
      tree: this.#tree
    }
    this.#given = {
      ...around,
      begin: this.#begin,
      open: this.#openTask,
      rewind: this.#rewind,
      answer: ui.turnToAsk,
      goOn: this.#goOn,
      stop: this.#stop,
      leave: this.#leave
    }
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
      send: (text, pictures) => this.#send(text, pictures),
      edit: (text, done) => Editing.words(this.#given, text, done),
      copy: (text) => Copying.text(this.#given, text),
      editProposal: ({ ask }) => this.#asks.withOpen(ask.askId, (open) => Editing.proposal(this.#given, open)),
      explain: ({ ask }) => this.#asks.withOpen(ask.askId, (open) => Explaining.why(this.#given, open)),
      clipboard: (done) => this.#perform(Effect.map(Clipboard.image, done)),
      goOn: () => this.#goOn(),
      stop: this.#stop,
      switchMode: (mode) => this.#switch(mode),
      answer: (asked, given) => this.#answer(asked, given),
      takeBack: () => Queue.takeBack(this.#given),
      choose: () => this.#choose(),
      chooseModel: () => ModelChoice.choose(this.#given, ""),
      look: () => Looking.transcript(this.#given),
      leave: this.#leave,
      wrote: this.#beginning.wrote,
      complete: (line, isFirst) => Commands.complete(this.#given, line, isFirst)
    }
  }

  readonly #entry = (): TaskStore.Entry | undefined => this.#store.now().entries.get(this.#transcript.task ?? "")

  /** Of the task that is shown, where it has subtasks. */
  readonly #tree = (): ReadonlyArray<TaskTree.Line> => {
    const entry = this.#entry()
    if (entry === undefined) return []
    return TaskTree.of(entry, this.#store.now(), (id) => this.#doing.get(id), this.#ui.form().look)
  }

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
    this.#relayed.to(
      entry !== undefined && !entry.here && TaskNode.isAlive(entry.node) ? TaskStore.idOf(entry) : undefined
    )
    yield* this.#asks.read(snapshot, this.#transcript)
    const inbox = yield* Inbox
    const queued = entry === undefined ? [] : yield* inbox.queued(TaskStore.idOf(entry))
    const header =
      entry === undefined ? undefined : ViewSnapshot.headerOf(entry, snapshot, { notice: null, trusted: true })
    this.#ui.know({
      header,
      tree: this.#tree(),
      mode: entry?.node.row.meta.mode ?? this.#mode,
      model: Settings.modelFor(this.#ground.settings, this.#mode),
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

  /** One that is shown already is shown anew, where it does not begin. */
  readonly #show = (id: TaskId.TaskId, begins: boolean) =>
    Effect.gen({ self: this }, function* () {
      if (id === this.#transcript.task && begins) return yield* this.#store.refresh
      this.#offered = undefined
      yield* this.#transcript.show(id, begins)
      yield* this.#store.find(id)
      yield* this.#know
    })

  readonly #send = (text: string, pictures: ReadonlyArray<Message.Attachment> = []): void => {
    const own = Shell.parse(text)
    if (own !== undefined) return Shell.perform(this.#given, own, this.#send)
    const command = SlashCommand.parse(text)
    if (command !== undefined && Commands.run(this.#given, command.name, command.rest)) return
    const wish = Effect.gen({ self: this }, function* () {
      const unknown = command === undefined ? undefined : yield* Commands.unknown(command.name, this.#ground.workspace)
      if (unknown !== undefined) {
        this.#ui.giveBack(text)
        return this.#ui.hint(unknown)
      }
      this.#beginning.sent(text)
      const entry = this.#entry()
      const from = this.#branch
      this.#branch = undefined
      const id =
        entry === undefined
          ? yield* Wanted.begin(this.#ground, text, this.#mode, { attached: pictures })
          : from !== undefined && from.task === TaskStore.idOf(entry)
            ? yield* Wanted.branch(this.#ground, entry, from.at, text, pictures)
            : yield* Wanted.say(this.#ground, entry, text, pictures)
      yield* this.#show(id, true)
    })
    this.#perform(wish, () => this.#ui.giveBack(text))
  }

  /** What is sent next begins a task from there. */
  readonly #rewind = (): void =>
    GoingBack.rewind(this.#given, (task, at, text) => {
      this.#branch = { task: TaskStore.idOf(task), at }
      this.#ui.giveBack(text)
      this.#ui.tell(["What you send next begins a new task from there."])
    })

  /** A stopped task goes on: the one that is shown, or the one that was offered. */
  readonly #goOn = (): void => {
    const entry = this.#entry() ?? this.#store.now().entries.get(this.#offered ?? "")
    if (entry === undefined) return
    const wish = Effect.gen({ self: this }, function* () {
      const id = TaskStore.idOf(entry)
      if ((yield* Wanted.standing(id)) !== "stopped") return
      if (id !== this.#transcript.task) yield* this.#show(id, false)
      yield* Wanted.resume(this.#ground, entry, "")
      yield* this.#store.refresh
    })
    this.#perform(wish)
  }

  /** What is sent next begins a task. */
  readonly #begin = (): void => {
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

  readonly #answer = ({ ask }: Asked, given: AnswerInput | "starts"): void => {
    const open = this.#asks.of(ask.askId)
    if (open === undefined) return this.#ui.hint("This was already answered.")
    this.#perform(Effect.andThen(Wanted.answer(this.#ground, open, given), this.#store.refresh))
  }

  readonly #stop = (): void => {
    const entry = this.#entry()
    if (entry !== undefined) this.#perform(Effect.andThen(Wanted.stop(entry), this.#store.refresh))
  }

  readonly #choose = (): void => Choosing.open(this.#given, "")

  readonly #leave = (): void =>
    Leaving.leave(this.#given, () => this.#perform(Deferred.succeed(this.#beginning.left, 0)))
}
