/**
 * The two sides of edits that are asked for, as documents: `belay-base:` as the file is, `belay-proposed:` as it would be.
 *
 * The proposed side can be changed, and what it holds is what is applied. Each ask has documents of its own, so none
 * changes under the eyes of a person; the text that one wrote goes on to the next ask for the same call.
 */
import type { Proposal } from "@belay/tool-executor"
import { createHash } from "node:crypto"
import * as vscode from "vscode"

export const schemes = { base: "belay-base", proposed: "belay-proposed" } as const

/** A file of an ask, as it is shown. */
export interface Shown {
  readonly askId: string
  /** The task and the call that the ask is about. */
  readonly call: string
  readonly summary: Proposal.Summary
  readonly base: string
  readonly proposed: string
}

export interface Sides {
  readonly base: vscode.Uri
  readonly proposed: vscode.Uri
}

/** Says that the text is UTF-8, whatever the editor's settings are; it is no part of a document's text. */
const mark = "\uFEFF"
const bytesOf = (text: string): Uint8Array => Buffer.from(`${mark}${text}`, "utf8")
const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8").decode(bytes)

/** Two files of one ask may have the same name. */
const keyOf = (askId: string, { resolved }: Proposal.Summary): string =>
  `${askId} ${createHash("sha256").update(resolved).digest("hex").slice(0, 8)}`

/** The path is the file's, as the editor shows it above the text; the query says which text it is. */
const uriOf = (scheme: string, key: string, { path }: Proposal.Summary): vscode.Uri =>
  vscode.Uri.from({ scheme, path: `/${path.replaceAll("\\", "/").replace(/^(?:\.?\/)+/u, "")}`, query: key })

const fileOf = (call: string, { resolved }: Proposal.Summary): string => `${call} ${resolved}`

const refuse = (uri: vscode.Uri): never => {
  throw vscode.FileSystemError.NoPermissions(uri)
}

export class Proposals implements vscode.FileSystemProvider {
  readonly #shown = new Map<string, Shown>()
  /** What the person saved on the proposed side, by its query. */
  readonly #texts = new Map<string, string>()
  /** Every call that was shown. */
  readonly #calls = new Set<string>()
  /** Every file of a call that was shown, with the text that the person wanted for it. */
  readonly #files = new Map<string, string | undefined>()
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>()

  readonly onDidChangeFile = this.#changed.event

  readonly show = ({ contents, summary }: Proposal.Proposal, of: Pick<Shown, "askId" | "call">): Sides => {
    const key = keyOf(of.askId, summary)
    const file = fileOf(of.call, summary)
    const before = this.#wanted(file)
    if (before !== undefined && !this.#shown.has(key)) this.#texts.set(key, before)
    this.#files.set(file, before)
    this.#calls.add(of.call)
    this.#shown.set(key, { ...of, summary, base: contents?.base ?? "", proposed: contents?.proposed ?? "" })
    return { base: uriOf(schemes.base, key, summary), proposed: uriOf(schemes.proposed, key, summary) }
  }

  /** What the person wants for a file of a call: the ask before may still be closing. */
  readonly #wanted = (file: string): string | undefined =>
    this.all()
      .filter(([, { call, summary }]) => fileOf(call, summary) === file)
      .map(([uri]) => this.edited(uri))
      .find((text) => text !== undefined) ?? this.#files.get(file)

  /** The proposed side of each file that is shown. */
  readonly all = (): ReadonlyArray<readonly [vscode.Uri, Shown]> =>
    [...this.#shown].map(([key, shown]) => [uriOf(schemes.proposed, key, shown.summary), shown])

  readonly get = ({ query }: vscode.Uri): Shown | undefined => this.#shown.get(query)

  readonly wasShown = (call: string): boolean => this.#calls.has(call)

  /** The text that the person wants instead of what was proposed; nothing when they changed nothing. */
  readonly edited = (uri: vscode.Uri): string | undefined => {
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString())
    const text = document?.isDirty === true ? document.getText() : this.#texts.get(uri.query)
    return text === this.get(uri)?.proposed ? undefined : text
  }

  /** The files of an ask that the person wants otherwise. */
  readonly editedFor = (askId: string): ReadonlyArray<Proposal.Edited> =>
    this.all().flatMap(([uri, shown]) => {
      const text = shown.askId === askId ? this.edited(uri) : undefined
      return text === undefined ? [] : [{ resolved: shown.summary.resolved, text }]
    })

  /** It is settled; the text that the person wanted is there if the call is asked for again. */
  readonly forget = (uri: vscode.Uri): void => {
    const shown = this.get(uri)
    if (shown !== undefined) {
      const file = fileOf(shown.call, shown.summary)
      this.#files.set(file, this.edited(uri) ?? this.#files.get(file))
    }
    this.#shown.delete(uri.query)
    this.#texts.delete(uri.query)
  }

  readonly watch = () => new vscode.Disposable(() => undefined)

  readonly stat = (uri: vscode.Uri): vscode.FileStat => ({
    type: vscode.FileType.File,
    ctime: 0,
    mtime: 0,
    size: this.readFile(uri).length
  })

  readonly readFile = (uri: vscode.Uri): Uint8Array => {
    const shown = this.get(uri)
    if (shown === undefined) throw vscode.FileSystemError.FileNotFound(uri)
    return bytesOf(uri.scheme === schemes.base ? shown.base : (this.#texts.get(uri.query) ?? shown.proposed))
  }

  readonly writeFile = (uri: vscode.Uri, content: Uint8Array): void => {
    if (uri.scheme !== schemes.proposed || this.get(uri) === undefined) refuse(uri)
    this.#texts.set(uri.query, textOf(content))
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }])
  }

  readonly readDirectory = () => []
  readonly createDirectory = refuse
  readonly delete = refuse
  readonly rename = refuse
}
