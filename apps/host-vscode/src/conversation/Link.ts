/**
 * A link in a conversation, followed when a person asks for it: a web page, an address of mail, or a file of the task's
 * folder. Everything else does nothing.
 */
import { LinkTarget } from "@belay/interaction/unstable/feed"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { perform, Refusal } from "../vscode/Bridge.ts"

/** Errors: `Refusal` for a file that is not there. */
export const follow = (target: string, folder: string | undefined) =>
  Effect.gen(function* () {
    const web = LinkTarget.webOf(target)
    if (web !== undefined) return yield* perform(() => vscode.env.openExternal(vscode.Uri.parse(web, true)))
    const place = folder === undefined ? undefined : LinkTarget.fileOf(target, folder)
    if (place === undefined) {
      return yield* new Refusal({ line: "This link leads to no page and to no file of the task's folder." })
    }
    const at = Math.max(0, (place.line ?? 1) - 1)
    const selection = new vscode.Range(at, 0, at, 0)
    const file = vscode.Uri.file(place.file)
    return yield* perform(() => vscode.window.showTextDocument(file, { preview: true, selection }))
  })
