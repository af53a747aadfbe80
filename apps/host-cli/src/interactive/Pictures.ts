/** Images that go with what is written: each stands in it as a mark, and goes with it as long as the mark is there. */
import { Picture, Words } from "@belay/interaction"
import type { Message } from "@belay/message-state"
import { readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

type Taken = { readonly chip: string } | { readonly refused: string }

const ofImages = /\.(?:png|jpe?g|gif|webp)$/iu

/** As terminals write the path of a file that was dropped. */
const pathOf = (pasted: string, folder: string): string | undefined => {
  const text = pasted.trim()
  if (text === "" || text.includes("\n")) return undefined
  const quoted = /^(["'])(.*)\1$/u.exec(text)?.[2]
  const bare = quoted ?? text.replaceAll(/\\(.)/gu, "$1")
  if (!ofImages.test(bare)) return undefined
  if (bare.startsWith("file://")) return URL.canParse(bare) ? fileURLToPath(bare) : undefined
  return path.resolve(folder, bare.replace(/^~(?=[\\/])/u, homedir()))
}

const isFile = (file: string): boolean => {
  try {
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The images of one composer. */
export class Pictures {
  readonly #folder: string
  #all: ReadonlyArray<{ readonly chip: string; readonly block: Message.Attachment }> = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The mark of an image whose path was pasted; nothing for any other text. */
  readonly take = (pasted: string): Taken | undefined => {
    const file = pathOf(pasted, this.#folder)
    if (file === undefined || !isFile(file)) return undefined
    const { size } = statSync(file)
    const name = path.basename(file)
    if (size > Picture.largest) return { refused: Picture.tooLarge(name, size) }
    try {
      return this.add(name, readFileSync(file))
    } catch {
      return { refused: `"${Words.printable(name)}" was not attached: it cannot be read.` }
    }
  }

  readonly add = (name: string, bytes: Uint8Array): Taken => {
    const head = bytes.subarray(0, 12)
    const refused = Picture.refusal({ name, size: bytes.length, head, count: this.#all.length })
    if (refused !== undefined) return { refused }
    const chip = `[image ${this.#all.length + 1}: ${Words.printable(name)}]`
    const data = Buffer.from(bytes).toString("base64")
    const source = { type: "base64", media_type: Picture.typeOf(head) ?? "", data } as const
    this.#all = [...this.#all, { chip, block: { type: "image", source } }]
    return { chip }
  }

  /** Those whose marks a text has; the others are forgotten. */
  readonly of = (text: string): ReadonlyArray<Message.Attachment> => {
    const found = this.#all.filter(({ chip }) => text.includes(chip))
    this.#all = []
    return found.map(({ block }) => block)
  }
}
