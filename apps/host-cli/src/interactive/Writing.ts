/**
 * What the person writes, in one place: words for the task, the reason of a denial, images that go with words, what was put
 * aside, and what was said before.
 */
import type { Message } from "@belay/message-state"
import type * as AskFrame from "./asks/AskFrame.ts"
import { Pictures } from "./Pictures.ts"
import type { Choosing } from "./screen/Chooser.ts"
import * as Composer from "./screen/Composer.ts"
import type { Key } from "./screen/Keys.ts"
import { Vim } from "./screen/Vim.ts"

/** What was sent. */
export interface Sent {
  readonly text: string
  readonly pictures: ReadonlyArray<Message.Attachment>
  /** It is why this is denied. */
  readonly reasonFor: AskFrame.Asked | undefined
}

const firstLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/gu, " ⏎ ")

/** What is written at one interface. */
export class Writing {
  readonly #composer: Composer.Composer
  readonly #pictures: Pictures
  readonly #sent: (sent: Sent) => void
  #vim: Vim | undefined
  #said: ReadonlyArray<string> = []
  #aside = ""
  /** The ask whose denial is being put into words, with what was written before. */
  #reasoning: { readonly asked: AskFrame.Asked; readonly before: string } | undefined

  /** `folder`: paths are meant from there. */
  constructor(folder: string, sent: (sent: Sent) => void) {
    this.#pictures = new Pictures(folder)
    this.#sent = sent
    this.#composer = Composer.make((text) => this.send(text))
  }

  /** What stands before the caret, unless it is the mode. */
  get label(): string | undefined {
    if (this.#vim?.isCommanding === true) return "Normal"
    return this.#reasoning === undefined ? undefined : "Why not"
  }

  get isReasoning(): boolean {
    return this.#reasoning !== undefined
  }

  /** The keys of vim count from now on. */
  readonly useVim = (): void => void (this.#vim ??= new Vim(this.#composer))

  /** Whether the key was a command, and no text. */
  readonly command = (key: Key): boolean => this.#vim?.press(key) ?? false

  readonly draw = (columns: number): Composer.Drawn => this.#composer.draw(columns)
  readonly press = (key: Key): void => this.#composer.press(key)
  readonly before = () => this.#composer.before()
  readonly complete = (from: number, text: string): void => this.#composer.complete(from, text)
  readonly text = (): string => this.#composer.text()
  readonly set = (text: string): void => this.#composer.set(text)
  readonly isEmpty = (): boolean => this.#composer.isEmpty()

  /** What is to be there again after anything that ends the process. */
  readonly draft = (): string => this.#reasoning?.before ?? (this.text() || this.#aside)

  /** Takes what is written, as if it was sent. */
  readonly take = (): void => {
    const text = this.text()
    this.set("")
    this.send(text)
  }

  readonly send = (text: string): void => {
    const of = this.#reasoning
    this.#reasoning = undefined
    if (of !== undefined) this.set(of.before)
    else if (text.trim() !== "") this.remember(text)
    this.#sent({ text, pictures: this.#pictures.of(text), reasonFor: of?.asked })
  }

  /** Puts a text before what was written meanwhile. */
  readonly giveBack = (text: string): void => {
    const now = this.text()
    this.set(now === "" ? text : `${text}\n${now}`)
  }

  readonly remember = (text: string): void => {
    this.#composer.remember(text)
    this.#said = [text, ...this.#said.filter((one) => one !== text)]
  }

  /** What is written next is why this is denied. */
  readonly reason = (asked: AskFrame.Asked): void => {
    this.#reasoning = { asked, before: this.text() }
    this.set("")
  }

  readonly clear = (): void => {
    if (!this.isEmpty()) this.remember(this.text())
    this.set("")
  }

  /** Puts what is written aside; again, with nothing written: it is back. Gives what is told of it. */
  readonly putAside = (): string => {
    if (this.isEmpty()) {
      const text = this.#aside
      this.#aside = ""
      this.set(text)
      return text === "" ? "Nothing was put aside." : ""
    }
    this.#aside = this.text()
    this.set("")
    return "Put aside: Ctrl+S brings it back."
  }

  /** An image in the place of its path; gives what is told where it cannot be used. */
  readonly paste = (text: string): string => {
    const taken = this.#pictures.take(text)
    if (taken !== undefined && "refused" in taken) return taken.refused
    this.#composer.paste(taken === undefined ? text : `${taken.chip} `)
    return ""
  }

  /** An image by its bytes. */
  readonly picture = (name: string, bytes: Uint8Array): string => {
    const taken = this.#pictures.add(name, bytes)
    if ("refused" in taken) return taken.refused
    this.#composer.paste(`${taken.chip} `)
    return ""
  }

  /** What was said before, to be written again. */
  readonly search = (): Choosing => ({
    label: "Said",
    none: "Nothing that was said has this.",
    items: (words) =>
      this.#said.flatMap((text, index) =>
        text.toLowerCase().includes(words.toLowerCase()) ? [{ id: String(index), text: firstLine(text) }] : []
      ),
    chosen: (id) => this.set(this.#said[Number(id)] ?? "")
  })
}
