/**
 * What a person has written in a folder and not sent, and what they sent before: there again after anything that ends the
 * process. No secret of it is stored.
 */
import { ReplaceFile } from "@belay/machine"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { redaction } from "../output/Redaction.ts"

const Stored = Schema.fromJsonString(Schema.Struct({ draft: Schema.String, sent: Schema.Array(Schema.String) }))
const decode = Schema.decodeUnknownOption(Stored)

/** How long a pause in typing is before it is stored, in ms. */
const pause = 300
/** What was sent before. */
const most = 100
/** Characters of one text. */
const longest = 100_000

const fileOf = (home: string, folder: string): string =>
  path.join(home, "drafts", `${createHash("sha256").update(folder).digest("hex").slice(0, 24)}.json`)

const read = (file: string): typeof Stored.Type => {
  try {
    return Option.getOrElse(decode(readFileSync(file, "utf8")), () => ({ draft: "", sent: [] }))
  } catch {
    return { draft: "", sent: [] }
  }
}

/** The drafts of one folder. */
export class Drafts {
  readonly #home: string
  readonly #file: string
  #draft: string
  #sent: ReadonlyArray<string>
  #stored: string
  #waiting: NodeJS.Timeout | undefined

  constructor(home: string, folder: string) {
    this.#home = home
    this.#file = fileOf(home, folder)
    const { draft, sent } = read(this.#file)
    this.#draft = draft
    this.#sent = sent
    this.#stored = this.#text()
  }

  get draft(): string {
    return this.#draft
  }

  /** The oldest first. */
  get sent(): ReadonlyArray<string> {
    return this.#sent
  }

  /** Is stored soon. */
  readonly write = (text: string): void => {
    const draft = redaction.text(text).slice(0, longest)
    if (draft === this.#draft) return
    this.#draft = draft
    this.#soon()
  }

  readonly add = (text: string): void => {
    const said = redaction.text(text).slice(0, longest)
    this.#sent = [...this.#sent.filter((one) => one !== said), said].slice(-most)
    this.#soon()
  }

  /** A folder that cannot be written to keeps nothing, and that is all. */
  readonly store = (): void => {
    clearTimeout(this.#waiting)
    this.#waiting = undefined
    const text = this.#text()
    // Before there is any data nothing is made for a draft.
    if (text === this.#stored || !existsSync(this.#home)) return
    try {
      mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 })
      ReplaceFile.write(this.#file, text, { mode: 0o600 })
      this.#stored = text
    } catch {
      // It is a convenience: what is sent is stored by the engine.
    }
  }

  readonly #text = (): string => `${JSON.stringify({ draft: this.#draft, sent: this.#sent })}\n`

  readonly #soon = (): void => {
    this.#waiting ??= setTimeout(this.store, pause)
  }
}
