/** How a review ends: its tabs close and its documents are forgotten, unless they hold what a person wrote in vain. */
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { perform } from "../vscode/Bridge.ts"
import type { Proposals } from "./Proposals.ts"
import * as ReviewActions from "./ReviewActions.ts"
import * as ReviewTabs from "./ReviewTabs.ts"

const close = (proposals: Proposals, uri: vscode.Uri, askId: string) =>
  Effect.gen(function* () {
    const shown = ReviewTabs.of(uri)
    const files = proposals.all().filter(([, file]) => file.askId === askId)
    const named = new Set(files.map(([file]) => file.toString()))
    const unsaved = vscode.workspace.textDocuments.filter(
      (document) => document.isDirty && named.has(document.uri.toString())
    )
    // A tab with unsaved text would ask what is to become of it.
    for (const document of unsaved) yield* perform(() => document.save())
    if (shown.length > 0) yield* perform(() => vscode.window.tabGroups.close(shown, true))
    proposals.forget(uri)
    ReviewActions.publish(proposals)
  })

/** This window has answered the ask. */
export const answered = (proposals: Proposals, askId: string) =>
  Effect.forEach(
    proposals.all().filter(([, review]) => review.askId === askId),
    ([uri]) => close(proposals, uri, askId),
    { discard: true }
  )

/** The ask was settled by something else than its review. What the person wrote stays readable; it can no longer be applied. */
export const elsewhere = (
  proposals: Proposals,
  uri: vscode.Uri,
  { askId, path }: { readonly askId: string; readonly path: string }
) =>
  Effect.gen(function* () {
    if (proposals.edited(uri) === undefined || ReviewTabs.of(uri).length === 0) {
      return yield* close(proposals, uri, askId)
    }
    const line = `Answered: what you wrote for ${Words.printable(path)} was not applied. It stays in its tab.`
    void vscode.window.showInformationMessage(line)
  })
