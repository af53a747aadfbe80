/** What is said at one terminal: lines that stay, and one that is there until the next key. */
import type { Appearance } from "../../output/Appearance.ts"
import type { Size } from "./Frame.ts"
import * as Painter from "./Painter.ts"
import type { Key } from "./Keys.ts"
import type { Preferences } from "./Preferences.ts"
import * as RowLines from "../transcript/RowLines.ts"
import type { Tty } from "./Tty.ts"
import { type Viewed, Viewer } from "./Viewer.ts"

/** Everything of an interface but what it does with keys. */
export abstract class Display {
  protected readonly look: Appearance
  protected readonly tty: Tty
  protected readonly painter: Painter.Painter
  protected said = ""
  readonly #viewer = new Viewer()
  #preferences: Preferences | undefined
  /** A question that a `y` says yes to, once the frame of this number, in which it is seen, is there. */
  #confirming: { readonly yes: () => void; readonly shown: number } | undefined
  /** The last line that stays is empty. */
  #isSpaced = false

  constructor(tty: Tty, look: Appearance) {
    this.look = look
    this.tty = tty
    this.painter = Painter.make(tty, (size) => this.draw(size))
  }

  /** What is looked at is copied, or edited elsewhere. */
  protected abstract take(text: string, how: "copied" | "edited"): void

  /** What is live. */
  protected abstract draw(size: Size): Painter.Live

  /** Lines that stay; one empty line is enough between what stands apart. */
  readonly commit = (lines: ReadonlyArray<string>, mark?: Painter.Mark): void => {
    const kept = this.#isSpaced && lines[0] === "" ? lines.slice(1) : lines
    if (kept.length === 0) return
    this.#isSpaced = kept.at(-1) === ""
    this.painter.commit(kept, mark)
    this.painter.soon()
  }

  /** Lines of ours that stay, wrapped. */
  readonly tell = (lines: ReadonlyArray<string>): void =>
    this.commit(lines.flatMap((line) => RowLines.plain(this.form(), line)))

  /** Lines that stay are laid out so. */
  readonly form = (): RowLines.Form => ({
    look: this.look,
    columns: Math.max(10, this.tty.size().columns - 1),
    isUnwrapped: this.#preferences?.isUnwrapped === true
  })

  /** As the person has set it, from now on. */
  protected preferred(preferences: Preferences): void {
    this.#preferences = preferences
    if (preferences.tellsKeysApart !== undefined) this.tty.tellKeysApart(preferences.tellsKeysApart)
  }

  protected get stopsAtOnce(): boolean {
    return this.#preferences?.stopsAtOnce === true
  }

  /** The terminal is named so, where the person wants that. */
  protected titled(text: string): void {
    if (this.#preferences?.titles === true) this.painter.title(text)
  }

  /** Asks before something is done: any other key than `y` leaves it. */
  readonly confirm = (question: string, then: () => void): void => {
    const same = this.said === question ? this.#confirming : undefined
    this.hint(question)
    this.#confirming = { yes: then, shown: same?.shown ?? this.painter.frames() + 1 }
  }

  /** A key that answers that. */
  protected confirming(key: Key): boolean {
    const confirming = this.#confirming
    this.#confirming = undefined
    // What was typed before the question was seen is no answer.
    if (confirming === undefined || key.seen < confirming.shown) return false
    if (key.name === "y") confirming.yes()
    return true
  }

  /** What is live has changed, or time has passed. */
  readonly changed = (): void => this.painter.soon()

  readonly paint = (): void => this.painter.now()

  /** One line, until the next key. */
  readonly hint = (text: string): void => {
    // A question in whose place something else stands is asked no more.
    this.#confirming = undefined
    this.said = text
    this.#viewer.say(text)
    this.painter.soon()
  }

  readonly clip = (text: string): boolean => this.painter.clip(text)

  readonly resized = (): void => this.painter.resized()

  /** As the terminal itself tells it. */
  protected readonly sized = (size: Size): void => {
    this.tty.sized(size)
    this.painter.resized()
  }

  /** Others had the terminal. */
  readonly back = (): void => this.painter.back()

  /** Something long has the whole screen, and the keys, until it is left. */
  readonly view = (viewed: Viewed): void => {
    this.#viewer.open(viewed, this.tty.size())
    this.painter.page(this.#viewer.draw)
  }

  /** A key of the viewer, where it is open. */
  protected viewing(key: Key): boolean {
    if (!this.#viewer.isOpen) return false
    const done = this.#viewer.press(key)
    if (done === "copied" || done === "edited") {
      this.take(this.#viewer.text(), done)
      return true
    }
    if (done === "printed") this.commit(["", ...this.#viewer.all(), ""])
    if (done !== "open") {
      this.#viewer.close()
      this.painter.page(undefined)
    }
    return true
  }

  /** Gives the terminal to the shell until it comes back; so many tasks that run here stand still meanwhile. */
  protected suspend(tasks: number): void {
    if (!this.tty.canSuspend()) return void (this.said = "No shell is there to come back from.")
    const still = tasks === 0 ? "" : ` ${tasks === 1 ? "A task stands" : `${tasks} tasks stand`} still until then.`
    this.painter.leave([`Suspended: fg comes back.${still}`])
    this.tty.suspend()
  }

  /** Another program has the terminal while this runs. */
  readonly lend = async <A>(run: () => Promise<A>): Promise<A> => {
    this.painter.leave([])
    try {
      return await this.tty.lend(run)
    } finally {
      if (this.#viewer.isOpen) this.painter.page(this.#viewer.draw)
    }
  }
}
