/**
 * The interface for a screen reader, or a terminal that can do nothing but print: whole lines in and out, no cursor moves,
 * nothing is replaced, and no time is counted.
 *
 * A line is typed in the terminal's own way, so that it is spoken. An ask prints what it is about; a number chooses, and what
 * allows something is done only after a `y` that follows it: a number that was meant for something else allows nothing.
 */
import type { View } from "@belay/interaction"
import type { Appearance } from "../output/Appearance.ts"
import type { Sink } from "../output/Sink.ts"
import * as Lines from "../terminal/Lines.ts"
import * as AskFrame from "./asks/AskFrame.ts"
import type { Face } from "./Face.ts"
import { unknown } from "./Known.ts"
import type { Choosing } from "./screen/Chooser.ts"
import { Twice } from "./screen/Twice.ts"
import type { Viewed } from "./screen/Viewer.ts"
import * as RowLines from "./transcript/RowLines.ts"
import type { Known, Wishes } from "./Wishes.ts"

/** Of a list to choose from. */
const most = 20

/** What the next line is for. */
type Next = (line: string) => void

/** The interface of a person who hears it. */
export class Reader implements Face {
  readonly #look: Appearance
  readonly #sink: Sink
  readonly #isSpoken: boolean
  readonly #gone: () => void
  readonly #twice = new Twice()
  #known = unknown
  #wishes: Wishes | undefined
  #waiting: ReadonlyArray<string> = []
  #next: Next | undefined
  /** Of a text of several lines those that were typed. */
  #begun: ReadonlyArray<string> = []
  /** Asks that were told. */
  #told: ReadonlySet<string> = new Set()
  #stop: () => void = () => undefined

  /** `isSpoken`: each entry says who or what it is. `gone`: there is nobody any more. */
  constructor(look: Appearance, sink: Sink, isSpoken: boolean, gone: () => void) {
    this.#look = { ...look, color: false }
    this.#sink = sink
    this.#isSpoken = isSpoken
    this.#gone = gone
  }

  /** Hears what is typed from now on. */
  readonly listen = (): void => {
    const end = Lines.listen(process.stdin, this.#typed, this.#gone)
    const interrupt = (): void => this.#interrupt()
    process.on("SIGINT", interrupt)
    this.#stop = () => {
      process.off("SIGINT", interrupt)
      end()
    }
    process.stdin.resume()
  }

  readonly form = (): RowLines.Form => ({
    look: this.#look,
    columns: Math.max(10, (this.#look.width ?? 80) - 1),
    isSpoken: this.#isSpoken,
    isUnbroken: true
  })

  readonly commit = (lines: ReadonlyArray<string>): void => this.#sink.out(lines.map((line) => `${line}\n`).join(""))

  readonly tell = (lines: ReadonlyArray<string>): void => this.commit(lines)

  readonly hint = (text: string): void => {
    if (text !== "") this.commit([text])
  }

  readonly confirm = (question: string, then: () => void): void => {
    this.commit([question])
    this.#next = (line) => {
      if (/^y(?:es)?$/iu.test(line.trim())) then()
    }
  }

  readonly choose = (choosing: Choosing): void => {
    choosing.typed?.(choosing.begins ?? "")
    this.#list(choosing, choosing.begins ?? "")
  }

  readonly view = ({ lines, title }: Viewed): void => {
    this.commit([title, ...lines(this.form().columns), "", "The end."])
  }

  readonly giveBack = (text: string): void => this.commit([`Not sent: ${text}`])

  /** Nothing else of ours is written meanwhile: what is typed is the other program's. */
  readonly lend = async <A>(run: () => Promise<A>): Promise<A> => {
    process.stdin.pause()
    await this.#sink.flush()
    try {
      return await run()
    } finally {
      process.stdin.resume()
    }
  }

  readonly turnToAsk = (): void => {
    const [oldest] = this.#known.asks
    if (oldest === undefined) this.hint("Nothing waits for you.")
    else this.#ask(oldest)
  }

  readonly offer = (_line: string, _from: number, _items: ReadonlyArray<View.Completion>): void => undefined
  readonly clip = (): boolean => false
  readonly changed = (): void => undefined
  readonly follow = (): void => undefined
  readonly remember = (): void => undefined
  readonly prefer = (): void => undefined

  readonly know = (news: Partial<Known>): void => {
    const { mode } = this.#known
    this.#known = { ...this.#known, ...news }
    if (this.#known.mode !== mode && this.#wishes !== undefined) this.commit([`Mode: ${this.#known.mode}`])
    const open = this.#known.asks
    for (const asked of open) if (!this.#told.has(asked.ask.askId)) this.#ask(asked)
    this.#told = new Set(open.map(({ ask }) => ask.askId))
  }

  readonly ready = (wishes: Wishes): void => {
    this.#wishes = wishes
    const lines = this.#waiting
    this.#waiting = []
    for (const line of lines) this.#typed(line)
  }

  readonly hasTask = (): boolean => this.#known.header !== undefined

  readonly end = (lines: ReadonlyArray<string>): void => {
    this.#stop()
    this.commit(lines)
  }

  readonly #ask = (asked: AskFrame.Asked): void => {
    const places = AskFrame.choices(asked.ask).filter(({ refused }) => refused === undefined)
    this.commit([
      "",
      `Needs you: ${asked.ask.heading}, in "${asked.place}"`,
      ...AskFrame.details(asked, this.#look, Infinity).slice(1),
      ...places.map(({ place, title }) => `${place}: ${title}`),
      places.length === 0 ? "Answer in words." : "Answer with a number.",
      ""
    ])
  }

  /** The oldest ask that a number is for, and its place. */
  readonly #chosen = (
    line: string
  ): { readonly asked: AskFrame.Asked; readonly choice: AskFrame.Choice } | undefined => {
    const asked = this.#known.asks.find(({ ask }) => this.#told.has(ask.askId) && ask.blocked === undefined)
    if (asked === undefined || !/^\d$/u.test(line)) return undefined
    const choice = AskFrame.choices(asked.ask).find(
      ({ place, refused }) => String(place) === line && refused === undefined
    )
    return choice === undefined ? undefined : { asked, choice }
  }

  readonly #answer = (asked: AskFrame.Asked, choice: AskFrame.Choice): void => {
    if ("needsWords" in choice) {
      this.commit(["Why not?"])
      this.#next = (text) => this.#wishes?.answer(asked, { decision: "deny", ...(text.trim() === "" ? {} : { text }) })
      return
    }
    const given = AskFrame.given(choice)
    const allows = given === "starts" || given.decision === "allow"
    if (!allows) return this.#wishes?.answer(asked, given)
    this.confirm(`${choice.title}: ${asked.ask.heading}. Type y to do it.`, () => this.#wishes?.answer(asked, given))
  }

  readonly #list = (choosing: Choosing, words: string): void => {
    const items = choosing.items(words).slice(0, most)
    if (items.length === 0 && words !== "" && choosing.other !== undefined) return choosing.other(words)
    if (items.length === 0) return this.commit([choosing.none])
    this.commit([
      ...items.map(({ text }, index) => `${index + 1}: ${text}`),
      `${choosing.label}: a number, words to filter, or an empty line to leave it.`
    ])
    this.#next = (line) => {
      const item = items[Number(line) - 1]
      if (item !== undefined) choosing.chosen(item.id)
      else if (line.trim() !== "") this.#list(choosing, line.trim())
    }
  }

  readonly #typed = (line: string): void => {
    const next = this.#next
    this.#next = undefined
    if (next !== undefined) return next(line)
    if (line.endsWith("\\")) {
      this.#begun = [...this.#begun, line.slice(0, -1)]
      return
    }
    const text = [...this.#begun, line].join("\n")
    this.#begun = []
    if (this.#wishes === undefined) {
      this.#waiting = [...this.#waiting, text]
      return
    }
    const chosen = this.#chosen(text.trim())
    if (chosen !== undefined) this.#answer(chosen.asked, chosen.choice)
    else if (text.trim() === "") this.#wishes.goOn()
    else this.#wishes.send(text, [])
  }

  readonly #interrupt = (): void => {
    if (this.#known.isBusy) {
      this.hint("Stopping.")
      this.#wishes?.stop()
    } else if (this.#twice.isSecond("ctrl+c")) this.#gone()
    else this.hint("Ctrl+C again to leave.")
  }
}
