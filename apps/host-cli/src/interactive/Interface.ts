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
import * as Draw from "./Draw.ts"
import * as Keys from "./screen/Keys.ts"
import { mayMean, Offer } from "./screen/Offer.ts"
import { Calling } from "./Calling.ts"
import { Chooser, type Choosing } from "./screen/Chooser.ts"
import type { Size } from "./screen/Frame.ts"
import type { Live } from "./screen/Painter.ts"
import { Display } from "./screen/Display.ts"
import type { Face } from "./Face.ts"
import { keyHelp } from "./screen/KeyHelp.ts"
import { unknown } from "./Known.ts"
import type { Preferences } from "./screen/Preferences.ts"
import * as RowLines from "./transcript/RowLines.ts"
import * as Underway from "./transcript/Underway.ts"
import type { Tty } from "./screen/Tty.ts"
import { Twice } from "./screen/Twice.ts"
import type { Known, Wishes } from "./Wishes.ts"
import { type Sent, Writing } from "./Writing.ts"

/** The interface at one terminal. */
export class Interface extends Display implements Face {
  readonly #gone: () => void
  readonly #writing: Writing
  readonly #keys: Keys.Keys
  readonly #askKeys = new AskKeys.AskKeys()
  readonly #offer = new Offer()
  readonly #chooser = new Chooser()
  readonly #calling = new Calling(this.painter)
  #known = unknown
  #live: () => Underway.Live = () => Underway.idle
  #wishes: Wishes | undefined
  /** What was wanted before wishes were heard. */
  readonly #wanted: Array<(wishes: Wishes) => void> = []
  /** An Enter waits for the wishes to be heard. */
  #isWaiting = false
  /** What was switched before wishes were heard. */
  #early: Pick<Known, "mode"> | undefined
  readonly #twice = new Twice()

  /** Ctrl+X was pressed, which means something with the next key. */
  #isPrefixed = false

  /** `folder`: paths are meant from there. `gone`: the person leaves before wishes are heard. */
  constructor(tty: Tty, look: Appearance, escapeMs: number, folder: string, gone: () => void) {
    super(tty, look)
    this.#gone = gone
    this.#writing = new Writing(folder, this.#sent)
    this.#keys = Keys.make(escapeMs, {
      pressed: (key) => this.#press(key),
      focused: this.#calling.focused,
      sized: this.sized,
      pasted: (text) => {
        if (this.#chooser.isOpen) return this.#chooser.paste(text)
        this.#askKeys.leave()
        this.said = this.#writing.paste(text)
      },
      read: () => {
        const { isFirst, line } = this.#writing.before()
        this.#offer.follow(line)
        this.painter.now()
        if (mayMean(line)) this.#wishes?.complete(line, isFirst)
        this.#wishes?.wrote(this.#writing.draft())
      }
    })
  }

  protected draw(size: Size): Live {
    const write = this.#chooser.isOpen ? this.#chooser.drawn : this.#writing.draw
    return Draw.draw(this.#state(), this.look, size, write)
  }

  protected take(text: string, how: "copied" | "edited"): void {
    this.#want((wishes) => (how === "copied" ? wishes.copy(text) : wishes.edit(text, () => undefined)))
  }

  readonly know = (news: Partial<Known>): void => {
    const before = this.#known
    this.#known = { ...before, ...news, ...this.#early }
    this.#calling.follow(before, this.#known)
    this.titled(this.#known.header?.title ?? "Belay")
    this.painter.soon()
  }

  /** What is under way, whenever something is painted. */
  readonly follow = (live: () => Underway.Live): void => void (this.#live = live)

  /** What may be meant by this line, in the place of what begins at `from`; nothing where another stands there now. */
  readonly offer = (line: string, from: number, items: ReadonlyArray<View.Completion>): void => {
    if (this.#writing.before().line !== line) return
    this.#offer.set(line, from, items)
    this.painter.soon()
  }

  readonly turnToAsk = (): void => {
    const key = { name: "tab", bytes: "\t", seen: this.painter.frames() }
    if (!this.#askKeys.turnTo(this.#known.asks, key, performance.now())) this.said = "Nothing waits for you."
    this.painter.soon()
  }

  /** A list of which one is chosen has the place of the composer. */
  readonly choose = (choosing: Choosing): void => {
    this.#chooser.open(choosing)
    this.painter.soon()
  }

  /** From now on wishes are heard; an Enter before it has waited for this. */
  readonly ready = (wishes: Wishes): void => {
    this.#wishes = wishes
    const { isFirst, line } = this.#writing.before()
    if (mayMean(line)) wishes.complete(line, isFirst)
    if (this.#early !== undefined) wishes.switchMode(this.#early.mode)
    this.#early = undefined
    for (const wish of this.#wanted.splice(0)) wish(wishes)
    if (this.#isWaiting) {
      this.#isWaiting = false
      this.said = ""
      this.#writing.take()
    }
    this.painter.soon()
  }

  /** Puts a text into the composer, before what was written meanwhile. */
  readonly giveBack = (text: string): void => {
    this.#writing.giveBack(text)
    this.painter.soon()
  }

  readonly remember = (text: string): void => this.#writing.remember(text)

  readonly prefer = (preferences: Preferences): void => {
    const { escapeMs, hasVim, notifies } = preferences
    this.preferred(preferences)
    if (notifies) this.#calling.notify()
    if (hasVim) this.#writing.useVim()
    if (escapeMs !== undefined) this.#keys.waits(escapeMs)
  }

  readonly typed = (bytes: string): void => this.#keys.take(bytes, this.painter.frames())

  readonly hasTask = (): boolean => this.#known.header !== undefined

  /** These stay in the place of all that is live. */
  readonly end = (lines: ReadonlyArray<string>): void => {
    this.#keys.end()
    this.painter.end(lines)
  }

  readonly #state = (): Draw.State => ({
    ...this.#known,
    label: this.#chooser.label ?? this.#writing.label,
    live: this.#live(),
    offered: this.#chooser.isOpen ? this.#chooser.rows : this.#offer.rows,
    answering: this.#askKeys.of(this.#known.asks),
    hint: this.said,
    now: Date.now()
  })

  readonly #sent = ({ pictures, reasonFor, text }: Sent): void => {
    if (reasonFor !== undefined && text.trim() === "") this.said = "Nothing was answered."
    else if (reasonFor !== undefined) this.#wishes?.answer(reasonFor, { decision: "deny", text })
    else if (text.trim() === "" && pictures.length === 0) this.#wishes?.goOn()
    else this.#wishes?.send(text, pictures)
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
    if (this.#writing.isReasoning) return this.#writing.send("")
    if (!this.#writing.isEmpty()) return this.#writing.clear()
    const title = this.#stoppable()
    if (title !== undefined) this.#stop(title)
    else if (this.#twice.isSecond("ctrl+c")) this.#leave()
    else this.said = "Ctrl+C again to leave"
  }

  readonly #escape = (): void => {
    if (this.#writing.isReasoning) return this.#writing.send("")
    const title = this.#stoppable()
    if (title === undefined) return
    if (this.stopsAtOnce || this.#twice.isSecond("escape")) this.#stop(title)
    else this.said = `Esc again to stop "${title}"`
  }

  readonly #switch = (mode: "plan" | "act"): void => {
    if (this.#wishes !== undefined) return this.#wishes.switchMode(mode)
    this.#early = { mode }
    this.know({})
  }

  readonly #leave = (): void => (this.#wishes === undefined ? this.#gone() : this.#wishes.leave())

  readonly #enter = (key: Keys.Key): void => {
    const isUnheard = this.#wishes === undefined && !this.#writing.isEmpty()
    if (!isUnheard || this.#writing.before().line.endsWith("\\")) return this.#writing.press(key)
    this.#isWaiting = true
    this.said = "Starting: it is sent as soon as Belay is ready."
  }

  readonly #edit = (): void =>
    this.#want((wishes) => wishes.edit(this.#writing.text(), (text) => this.#writing.set(text)))

  /** At once, or as soon as wishes are heard. */
  readonly #want = (wish: (wishes: Wishes) => void): void =>
    void (this.#wishes === undefined ? this.#wanted.push(wish) : wish(this.#wishes))

  /** Keys that are no text. */
  readonly #deeds: Readonly<Record<string, (key: Keys.Key) => void>> = {
    "ctrl+c": () => this.#interrupt(),
    "ctrl+d": (key) => (this.#writing.isEmpty() ? this.#leave() : this.#writing.press(key)),
    "ctrl+g": () => this.#edit(),
    "ctrl+x": () => void (this.#isPrefixed = true),
    "ctrl+r": () => this.choose(this.#writing.search()),
    "ctrl+s": () => void (this.said = this.#writing.putAside()),
    "ctrl+v": () =>
      this.#want(({ clipboard }) => clipboard((bytes) => this.hint(this.#writing.picture("clipboard.png", bytes)))),
    "ctrl+l": () => this.painter.again(),
    "ctrl+o": () => this.#want(({ look }) => look()),
    "ctrl+t": () => this.#want(({ choose }) => choose()),
    "ctrl+z": () => this.suspend(this.#known.others + (this.#known.isBusy ? 1 : 0)),
    escape: () => this.#escape(),
    "ctrl+alt+[": () => {
      // Twice in one read.
      this.#escape()
      this.#escape()
    },
    tab: (key) => {
      if (!this.#askKeys.turnTo(this.#known.asks, key, performance.now())) this.said = "Nothing waits for you."
    },
    "alt+p": () => this.#want(({ chooseModel }) => chooseModel()),
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
        this.view({ title: done.asked.ask.heading, lines: (n) => AskFrame.details(done.asked, this.look, n) })
        break
      case "Words":
        this.#writing.reason(done.asked)
        break
      case "Why":
        this.#wishes?.explain(done.asked)
        break
      case "Edit":
        this.#wishes?.editProposal(done.asked)
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
    if (this.confirming(key) || this.viewing(key)) return
    if (this.#chooser.isOpen) return this.#chooser.press(key)
    if (this.#askKeys.of(this.#known.asks) !== undefined && this.#asked(key)) return
    const taken = this.#offer.press(key)
    if (taken === true || (taken === false && this.#writing.command(key))) return
    if (taken !== false) return this.#writing.complete(taken.from, taken.text)
    const isPrefixed = this.#isPrefixed
    this.#isPrefixed = false
    const takesBack = key.name === "up" && this.#writing.isEmpty() && this.#known.queued.length > 0
    const deed = isPrefixed && key.name === "ctrl+e" ? this.#edit : this.#deeds[takesBack ? "alt+up" : key.name]
    if (deed !== undefined) deed(key)
    else if (key.bytes === "?" && this.#writing.isEmpty())
      this.commit(["", ...keyHelp.flatMap((text) => RowLines.line(this.form(), " ", text)), ""])
    else if (key.name === "enter" && key.bytes !== "\n") this.#enter(key)
    else this.#writing.press(key)
    this.#twice.follow(key.name)
  }
}
