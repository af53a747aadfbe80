/**
 * A link in a conversation, followed when a person asks for it: a web page, an address of mail, or a file of the task's
 * folder. Everything else does nothing.
 */
import * as Effect from "effect/Effect"
import { realpathSync } from "node:fs"
import * as path from "node:path"
import * as vscode from "vscode"
import { perform, Refusal } from "../Bridge.ts"

const outside = new Set(["http:", "https:", "mailto:"])

/** The address as it is asked for, in ASCII; nothing where it is none that may be opened. */
export const webOf = (target: string): string | undefined => {
  if (!URL.canParse(target)) return undefined
  const { href, password, protocol, username } = new URL(target)
  return outside.has(protocol) && username === "" && password === "" ? href : undefined
}

export interface Place {
  readonly file: string
  /** From 1. */
  readonly line?: number
}

/** `src/a.ts:12` of a folder; nothing for what leads out of it, links followed. */
export const fileOf = (target: string, folder: string): Place | undefined => {
  const [, name = "", line] = /^(.+?)(?::(\d{1,7}))?(?::\d+)?$/u.exec(target.replace(/#L(\d+).*$/u, ":$1")) ?? []
  try {
    const decoded = decodeURIComponent(name)
    const root = realpathSync.native(folder)
    const file = realpathSync.native(path.resolve(root, decoded.replace(/^\.?\//u, "")))
    const relative = path.relative(root, file)
    if (relative === "" || relative.startsWith("..") || path.isAbsolute(relative)) return undefined
    return line === undefined ? { file } : { file, line: Number(line) }
  } catch {
    return undefined
  }
}

/** Errors: `Refusal` for a file that is not there. */
export const follow = (target: string, folder: string | undefined) =>
  Effect.gen(function* () {
    const web = webOf(target)
    if (web !== undefined) return yield* perform(() => vscode.env.openExternal(vscode.Uri.parse(web, true)))
    const place = folder === undefined || /^[a-z][a-z0-9+.-]+:/iu.test(target) ? undefined : fileOf(target, folder)
    if (place === undefined) {
      return yield* new Refusal({ line: "This link leads to no page and to no file of the task's folder." })
    }
    const at = Math.max(0, (place.line ?? 1) - 1)
    const selection = new vscode.Range(at, 0, at, 0)
    const file = vscode.Uri.file(place.file)
    return yield* perform(() => vscode.window.showTextDocument(file, { preview: true, selection }))
  })
