/**
 * The conversation of the task that is shown: each row as lines that stay, once it will not change, and what is under way
 * as lines that may.
 *
 * What a model says stays as it comes. When its message is stored, the two are held against each other: what differs is
 * told, and the message is shown whole; nothing that was shown is taken back.
 */
import type { Event, TaskHistory } from "@belay/history-store"
import { Row, Words } from "@belay/interaction"
import { type LiveRelay, Reading } from "@belay/interaction/unstable/feed"
import { Items } from "@belay/interaction/unstable/view"
import { LiveEvent } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Answer from "./Answer.ts"
import { bold, typeset } from "../../output/Appearance.ts"
import { truncate } from "../../output/DisplayWidth.ts"
import * as RowLines from "./RowLines.ts"
import { type Live, Underway } from "./Underway.ts"

type Fails = Effect.Error<ReturnType<TaskHistory["Service"]["events"]>>

/** Rows of a task that is opened. */
const mostRows = 20
/** Events that are read at once. */
const atOnce = 400

/** Characters of a row that has not the whole message. */
const longest = 30_000

/** Of an answer the rows that do not stay yet. */
const mostOpen = 3

/** What a person has said, or what is said to them. */
type Mark = "prompt" | "answer"

/** Where the lines go. */
export interface Place {
  readonly form: () => RowLines.Form
  /** Lines that stay; `mark`: what begins with them. */
  readonly commit: (lines: ReadonlyArray<string>, mark?: Mark) => void
  /** What is live has changed. */
  readonly changed: () => void
}

const beganAgain = "The answer began again."

/** A call that waits for a yes or no, as it came: the ask shows it to people. */
const isCall = ({ ask, text }: Row.Row & { readonly kind: "question" }): boolean =>
  ask === "mistakes" && /^\w+ \{.*\}$/su.test(text)

/** The conversation that is shown at one place. */
export class Transcript {
  readonly #history: TaskHistory["Service"]
  readonly #place: Place
  readonly #underway = new Underway()
  #task: TaskId.TaskId | undefined
  /** The `seq` of the next event. */
  #next = 1
  #rows = Row.make()
  #said = ""
  #answer: Answer.Answer | undefined
  /** A row of it stays. */
  #hasStayed = false
  #isSpaced = true
  /** What begins with the next row of an answer. */
  #mark: Mark | undefined
  /** Questions that are not answered, and whether they are shown: what an answer ends with is no question. */
  readonly #asked = new Map<string, boolean>()
  #reads: Array<Items.CallRow> = []

  constructor(history: TaskHistory["Service"], place: Place) {
    this.#history = history
    this.#place = place
  }

  get task(): TaskId.TaskId | undefined {
    return this.#task
  }

  /** What the model said last, which an ask may repeat. */
  get said(): string {
    return this.#said
  }

  readonly live = (): Live => ({ open: (this.#answer?.open() ?? []).slice(-mostOpen), ...this.#underway.now() })

  /** Shows another task from now on: one that begins, or the end of one that is there. */
  readonly show = (id: TaskId.TaskId, begins: boolean): Effect.Effect<void, Fails> =>
    Effect.suspend(() => {
      this.#task = id
      this.#rows = Row.make()
      this.#answer = undefined
      this.#said = ""
      this.#reads = []
      this.#asked.clear()
      this.#underway.clear()
      this.#next = begins ? 1 : Infinity
      return begins ? this.catchUp(1) : this.#opened(id)
    })

  /** Shows no task. */
  readonly leave = (): void => {
    this.#flushReads()
    this.#task = undefined
    this.#answer = undefined
    this.#underway.clear()
  }

  /** Words of another process, as they come; false where what is stored before them is not shown yet. */
  readonly hear = (lines: ReadonlyArray<LiveRelay.Line>): boolean => {
    if (lines.some(({ after }) => after >= this.#next)) return false
    for (const { after, text } of lines) {
      if (after + 1 < this.#next) continue
      if (text === undefined) this.#voided()
      else this.#say(text)
    }
    this.#place.changed()
    return true
  }

  /** An event of this process. */
  readonly take = (event: LiveEvent.TaskEvent): void => {
    if (event.taskId !== this.#task) return
    if (LiveEvent.isDurable(event)) {
      if (event.seq === this.#next) this.#stored(event)
    } else if (event.type === "text.delta") this.#say(event.text)
    else {
      if (event.type === "progress" || (event.type === "answer" && event.state === "waiting")) this.#voided()
      this.#underway.take(event)
    }
    this.#place.changed()
  }

  /** Reads what was stored up to this `seq` and is not shown yet. */
  readonly catchUp = (seq: number): Effect.Effect<void, Fails> => {
    const id = this.#task
    return Effect.gen({ self: this }, function* () {
      if (id === undefined) return
      for (;;) {
        if (id !== this.#task || this.#next > seq) break
        const found = yield* this.#history.events(id, this.#next, atOnce)
        if (found.length === 0 || id !== this.#task) return
        for (const event of found) if (event.seq === this.#next) this.#stored(event)
      }
      this.#place.changed()
    })
  }

  readonly #opened = (id: TaskId.TaskId): Effect.Effect<void, Fails> =>
    Effect.gen({ self: this }, function* () {
      const row = Option.getOrUndefined(yield* this.#history.row(id))
      if (row === undefined || id !== this.#task) return
      const part = yield* Reading.before(this.#history, id, row.lastSeq + 1)
      if (id !== this.#task) return
      this.#rows = part.projection
      this.#next = part.next
      const { columns, look } = this.#place.form()
      const line = look.ascii ? "--" : "──"
      const title = truncate(`${line} ${Words.printable(row.meta.title)} ${line}`, Math.min(columns, 78))
      this.#putApart([bold(look, typeset(look, title))])
      if (part.earlier !== undefined || part.rows.length > mostRows) {
        this.#put(RowLines.line(this.#place.form(), "…", "Earlier: Ctrl+O, or /transcript"))
      }
      for (const one of part.rows.slice(-mostRows)) {
        this.#show(one)
        if (one.kind === "said" && one.by === "assistant") this.#said = one.text
      }
      this.#flushReads()
      this.#place.changed()
    })

  readonly #put = (lines: ReadonlyArray<string>, mark?: Mark): void => {
    if (lines.length === 0) return
    this.#isSpaced = lines.at(-1) === ""
    this.#place.commit(lines, mark)
  }

  readonly #flushReads = (): void => {
    if (this.#reads.length === 0) return
    const reads = this.#reads
    this.#reads = []
    this.#put(RowLines.reads(this.#place.form(), reads))
  }

  /** Words stand apart from what comes before them. */
  readonly #putApart = (lines: ReadonlyArray<string>, mark?: Mark): void => {
    this.#flushReads()
    if (lines.length > 0) this.#put(this.#isSpaced ? lines : ["", ...lines], mark)
  }

  /** Rows of an answer; it has no more than one empty one at a time. */
  readonly #stays = (rows: ReadonlyArray<string>): void => {
    for (const row of rows) {
      if (row === "" && this.#isSpaced) continue
      this.#hasStayed ||= row !== ""
      this.#put([row === "" ? "" : `  ${row}`], row === "" ? undefined : this.#mark)
      if (row !== "") this.#mark = undefined
    }
  }

  readonly #say = (piece: string): void => {
    if (this.#place.form().isUnbroken === true) return
    if (this.#answer === undefined) {
      this.#putApart([])
      if (!this.#isSpaced) this.#put([""])
      this.#mark = "answer"
      this.#hasStayed = false
      this.#answer = Answer.make(
        this.#place.form().look,
        () => RowLines.proseIn(this.#place.form()),
        () => RowLines.wordsIn(this.#place.form())
      )
    }
    this.#stays(this.#answer.push(piece))
  }

  /** What had arrived is void, and what is shown of it stays. */
  readonly #voided = (): void => {
    const stays = this.#answer !== undefined && this.#hasStayed
    this.#answer = undefined
    if (stays) this.#putApart(RowLines.line(this.#place.form(), "·", beganAgain))
  }

  /** Shows the rest of a message that has arrived; false where it is to be shown whole. */
  readonly #settled = (whole: string): boolean => {
    if (this.#answer === undefined) return false
    const before = Words.printableLines(this.#answer.said()).trimStart()
    // What came through another process lacks its end.
    if (before !== "" && whole.trimStart().startsWith(before)) {
      this.#stays(this.#answer.push(whole.trimStart().slice(before.length)))
    }
    const { rows, text } = this.#answer.end()
    this.#answer = undefined
    const came = Words.printableLines(text).trim()
    // Of a long message the row has the beginning.
    if (came === whole.trim() || (whole.length >= longest && came.startsWith(whole.trim()))) {
      this.#stays(rows)
      return true
    }
    if (this.#hasStayed) this.#putApart(RowLines.line(this.#place.form(), "·", beganAgain))
    return false
  }

  readonly #show = (row: Row.Row): void => {
    const form = this.#place.form()
    if (row.kind === "question" && row.answer === undefined) {
      if (this.#asked.has(row.id)) return
      const isShown = row.text.trim() !== this.#said.trim() && !isCall(row)
      this.#asked.set(row.id, isShown)
      if (isShown) this.#putApart(RowLines.asked(form, row))
      return
    }
    if (!Row.isFinal(row)) return
    if (Items.isRead(row)) {
      this.#reads.push(row)
      return
    }
    if (row.kind === "question") {
      const isShown = this.#asked.get(row.id) ?? row.text.trim() !== this.#said.trim()
      this.#asked.delete(row.id)
      if (!isShown) return
    }
    const lines = RowLines.of(form, row, this.#said)
    const isApart = (row.kind === "said" && row.by !== "notice") || row.kind === "question"
    const mark = row.kind !== "said" || row.by === "notice" ? undefined : row.by === "you" ? "prompt" : "answer"
    if (isApart) return this.#putApart(lines, mark)
    this.#flushReads()
    this.#put(lines)
  }

  readonly #stored = (event: Event.StoredEvent): void => {
    this.#next = event.seq + 1
    const news = this.#rows.add(event)
    const isAnswer = event.type === "message" && event.role === "assistant"
    const words = news.flatMap((row) => (row.kind === "said" && row.by === "assistant" ? [row.text] : [])).join("")
    const isShown = isAnswer && this.#settled(words)
    if (isAnswer) this.#said = words
    for (const row of news) if (!(isShown && row.kind === "said")) this.#show(row)
    if (event.type === "ask" || event.type === "task.status") this.#flushReads()
    this.#underway.take(event)
  }
}
