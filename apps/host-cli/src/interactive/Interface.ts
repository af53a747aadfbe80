/**
 * The interface of a person at a terminal: what they type, what they are shown, and what they want done.
 *
 * Every key is shown before anything else is done with it, and what is typed stays until it was sent. An ask takes keys
 * only once they were turned to it, after a moment in which nothing counts, and only such that were typed with it on the
 * screen; words are never an answer to an approval.
 */
import type { View } from "@belay/interaction"
import type { Appearance } from "../output/Appearance.ts"
import * as AskFrame from "./asks/AskFrame.ts"
import * as AskKeys from "./asks/AskKeys.ts"
import * as Composer from "./screen/Composer.ts"
import * as Draw from "./Draw.ts"
import * as Keys from "./screen/Keys.ts"
import { mayMean, Offer } from "./screen/Offer.ts"
import { Chooser, type Choosing } from "./screen/Chooser.ts"
import type { Size } from "./screen/Frame.ts"
import type { Live } from "./screen/Painter.ts"
import { Surface } from "./screen/Surface.ts"
import { keyHelp } from "./KeyHelp.ts"
import * as RowLines from "./transcript/RowLines.ts"
import * as Underway from "./transcript/Underway.ts"
import type { Tty } from "./screen/Tty.ts"
import { Twice } from "./screen/Twice.ts"
import type { Known, Wishes } from "./Wishes.ts"

const unknown: Known = {
  mode: "act",
  header: undefined,
  model: "",
  tree: [],
  asks: [],
  queued: [],
  others: 0,
  isBusy: false,
  isYourTurn: false
}

/** The interface at one terminal. */
export class Interface extends Surface {
  readonly #gone: () => void
  readonly #composer: Composer.Composer
  readonly #keys: Keys.Keys
  readonly #askKeys = new AskKeys.AskKeys()
  readonly #offer = new Offer()
  readonly #chooser = new Chooser()
  #known = unknown
  #live: () => Underway.Live = () => Underway.idle
  #wishes: Wishes | undefined
  /** An Enter waits for the wishes to be heard. */
  #isWaiting = false
  /** What was switched before wishes were heard. */
  #early: Pick<Known, "mode"> | undefined
  /** A question that a `y` says yes to. */
  #confirming: (() => void) | undefined
  readonly #twice = new Twice()
  /** The ask whose denial is being put into words, with what was written before. */
  #reasoning: { readonly asked: AskFrame.Asked; readonly before: string } | undefined

  /** `gone`: the person leaves before wishes are heard. */
  constructor(tty: Tty, look: Appearance, escapeMs: number, gone: () => void) {
    super(tty, look)
    this.#gone = gone
    this.#composer = Composer.make((text) => this.#sent(text))
    this.#keys = Keys.make(escapeMs, {
      pressed: (key) => this.#press(key),
      pasted: (text) => {
        if (this.#chooser.isOpen) return this.#chooser.paste(text)
        this.#askKeys.leave()
        this.#composer.paste(text)
      },
      read: () => {
        const { isFirst, line } = this.#composer.before()
        this.#offer.follow(line)
        this.painter.now()
        if (mayMean(line)) this.#wishes?.complete(line, isFirst)
        this.#wishes?.wrote(this.#reasoning?.before ?? this.#composer.text())
      }
    })
  }

  protected draw(size: Size): Live {
    const write = this.#chooser.isOpen ? this.#chooser.drawn : this.#composer.draw
    return Draw.draw(this.#state(), this.look, size, write)
  }

  /** Lines of ours that stay, wrapped. */
  readonly tell = (lines: ReadonlyArray<string>): void =>
    this.commit(lines.flatMap((line) => RowLines.plain(this.form(), line)))

  readonly form = (): RowLines.Form => ({ look: this.look, columns: this.columns() })

  readonly know = (news: Partial<Known>): void => {
    this.#known = { ...this.#known, ...news, ...this.#early }
    this.painter.soon()
  }

  /** What is under way, whenever something is painted. */
  readonly follow = (live: () => Underway.Live): void => void (this.#live = live)

  /** What may be meant by this line, in the place of what begins at `from`; nothing where another stands there now. */
  readonly offer = (line: string, from: number, items: ReadonlyArray<View.Completion>): void => {
    if (this.#composer.before().line !== line) return
    this.#offer.set(line, from, items)
    this.painter.soon()
  }

  /** Asks before something is done: any other key than `y` leaves it. */
  readonly confirm = (question: string, then: () => void): void => {
    this.#confirming = then
    this.hint(question)
  }

  /** A list of which one is chosen has the place of the composer. */
  readonly choose = (choosing: Choosing): void => {
    this.#chooser.open(choosing)
    this.painter.soon()
  }

  /** From now on wishes are heard; an Enter before it has waited for this. */
  readonly ready = (wishes: Wishes): void => {
    this.#wishes = wishes
    const { isFirst, line } = this.#composer.before()
    if (mayMean(line)) wishes.complete(line, isFirst)
    if (this.#early !== undefined) wishes.switchMode(this.#early.mode)
    this.#early = undefined
    if (this.#isWaiting) {
      this.#isWaiting = false
      this.said = ""
      const text = this.#composer.text()
      this.#composer.set("")
      this.#sent(text)
    }
    this.painter.soon()
  }

  /** Puts a text into the composer, before what was written meanwhile. */
  readonly giveBack = (text: string): void => {
    const now = this.#composer.text()
    this.#composer.set(now === "" ? text : `${text}\n${now}`)
    this.painter.soon()
  }

  readonly remember = (text: string): void => this.#composer.remember(text)

  readonly typed = (bytes: string): void => this.#keys.take(bytes, this.painter.frames())

  readonly hasTask = (): boolean => this.#known.header !== undefined
  /** These stay in the place of all that is live. */
  readonly end = (lines: ReadonlyArray<string>): void => {
    this.#keys.end()
    this.painter.end(lines)
  }

  readonly #state = (): Draw.State => ({
    ...this.#known,
    label: this.#chooser.label ?? (this.#reasoning === undefined ? undefined : "Why not"),
    live: this.#live(),
    offered: this.#chooser.isOpen ? this.#chooser.rows : this.#offer.rows,
    answering: this.#askKeys.of(this.#known.asks),
    hint: this.said,
    now: Date.now()
  })

  readonly #sent = (text: string): void => {
    if (this.#reasoning !== undefined) return this.#reasoned(text)
    if (text.trim() === "") return this.#wishes?.goOn()
    this.#composer.remember(text)
    this.#wishes?.send(text)
  }

  readonly #reasoned = (text: string): void => {
    const of = this.#reasoning
    this.#reasoning = undefined
    if (of === undefined) return
    this.#composer.set(of.before)
    if (text.trim() === "") this.said = "Nothing was answered."
    else this.#wishes?.answer(of.asked, { decision: "deny", text })
  }

  readonly #stoppable = (): string | undefined => {
    const { header, isBusy } = this.#known
    return isBusy ? header?.title : undefined
  }

  readonly #stop = (title: string): void => {
    this.hint(`Stopping "${title}"`)
    this.#wishes?.stop()
  }

  readonly #interrupt = (): void => {
    if (this.#reasoning !== undefined) return this.#reasoned("")
    if (!this.#composer.isEmpty()) {
      this.#composer.remember(this.#composer.text())
      return this.#composer.set("")
    }
    const title = this.#stoppable()
    if (title !== undefined) this.#stop(title)
    else if (this.#twice.isSecond("ctrl+c")) this.#leave()
    else this.said = "Ctrl+C again to leave"
  }

  readonly #escape = (): void => {
    if (this.#reasoning !== undefined) return this.#reasoned("")
    const title = this.#stoppable()
    if (title === undefined) return
    if (this.#twice.isSecond("escape")) this.#stop(title)
    else this.said = `Esc again to stop "${title}"`
  }

  readonly #switch = (mode: "plan" | "act"): void => {
    if (this.#wishes !== undefined) return this.#wishes.switchMode(mode)
    this.#early = { mode }
    this.know({})
  }

  readonly #leave = (): void => (this.#wishes === undefined ? this.#gone() : this.#wishes.leave())

  readonly #enter = (key: Keys.Key): void => {
    const isUnheard = this.#wishes === undefined && !this.#composer.isEmpty()
    if (!isUnheard || this.#composer.before().line.endsWith("\\")) return this.#composer.press(key)
    this.#isWaiting = true
    this.said = "Starting: it is sent as soon as Belay is ready."
  }

  /** What runs here stands still meanwhile. */
  readonly #suspend = (): void => {
    if (!this.tty.canSuspend()) return void (this.said = "No shell is there to come back from.")
    const n = this.#known.others + (this.#known.isBusy ? 1 : 0)
    const still = n === 0 ? "" : ` ${n === 1 ? "A task stands" : `${n} tasks stand`} still until then.`
    this.painter.leave([`Suspended: fg comes back.${still}`])
    this.tty.suspend()
  }

  /** Keys that are no text. */
  readonly #deeds: Readonly<Record<string, (key: Keys.Key) => void>> = {
    "ctrl+c": () => this.#interrupt(),
    "ctrl+d": (key) => (this.#composer.isEmpty() ? this.#leave() : this.#composer.press(key)),
    "ctrl+l": () => this.painter.again(),
    "ctrl+t": () => this.#wishes?.choose(),
    "ctrl+z": () => this.#suspend(),
    escape: () => this.#escape(),
    "ctrl+alt+[": () => {
      // Twice in one read.
      this.#escape()
      this.#escape()
    },
    tab: (key) => {
      if (!this.#askKeys.turnTo(this.#known.asks, key, performance.now())) this.said = "Nothing waits for you."
    },
    "alt+up": () => this.#wishes?.takeBack(),
    "shift+tab": () => this.#switch(this.#known.mode === "act" ? "plan" : "act")
  }

  readonly #asked = (key: Keys.Key): boolean => {
    const done = this.#askKeys.press(key, this.#known.asks, performance.now())
    switch (done._tag) {
      case "Other":
        return false
      case "Left":
        this.said = "It stays open. Tab answers it."
        break
      case "Details":
        this.painter.commit(["", ...AskFrame.details(done.asked, this.look), ""])
        break
      case "Words":
        this.#reasoning = { asked: done.asked, before: this.#composer.text() }
        this.#composer.set("")
        break
      case "Answer":
        this.#wishes?.answer(done.asked, done.given)
        break
      case "Taken":
    }
    return true
  }

  readonly #press = (key: Keys.Key): void => {
    this.said = ""
    const confirmed = this.#confirming
    this.#confirming = undefined
    if (confirmed !== undefined) return key.name === "y" ? confirmed() : undefined
    if (this.#chooser.isOpen) return this.#chooser.press(key)
    if (this.#askKeys.of(this.#known.asks) !== undefined && this.#asked(key)) return
    const taken = this.#offer.press(key)
    if (taken === true) return
    if (taken !== false) return this.#composer.complete(taken.from, taken.text)
    const deed = this.#deeds[key.name]
    if (deed !== undefined) deed(key)
    else if (key.bytes === "?" && this.#composer.isEmpty())
      this.painter.commit(["", ...keyHelp.flatMap((text) => RowLines.line(this.form(), " ", text)), ""])
    else if (key.name === "enter" && key.bytes !== "\n") this.#enter(key)
    else this.#composer.press(key)
    this.#twice.follow(key.name)
  }
}
