/** What the actions in the title of a review look for: which editors are reviews, and what the person changed in them. */
import * as vscode from "vscode"
import type { Proposals } from "./Proposals.ts"
import * as ReviewTabs from "./ReviewTabs.ts"

/** The ask whose files the editor in front shows together. */
export const together = (proposals: Proposals): string | undefined => {
  const side = ReviewTabs.inFront()
  return side && proposals.get(side)?.askId
}

/** Tells the editor what holds now. */
export const publish = (proposals: Proposals): void => {
  const uris = proposals.all().map(([uri]) => uri)
  const set = (key: string, of: ReadonlyArray<vscode.Uri>): void =>
    void vscode.commands.executeCommand(
      "setContext",
      key,
      of.map((uri) => uri.toString())
    )
  set("belay.reviews", uris)
  set(
    "belay.reviewsChanged",
    uris.filter((uri) => proposals.edited(uri) !== undefined)
  )
  const askId = together(proposals)
  const state = askId === undefined ? "" : proposals.editedFor(askId).length === 0 ? "plain" : "changed"
  void vscode.commands.executeCommand("setContext", "belay.reviewTogether", state)
}
