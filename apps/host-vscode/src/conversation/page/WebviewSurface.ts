import type { View } from "@belay/interaction"
import type * as vscode from "vscode"
import type * as Watchdog from "./Watchdog.ts"

/** Where it is shown: the view in the side bar, or an editor. */
export interface WebviewSurface {
  readonly webview: vscode.Webview
  readonly isVisible: () => boolean
  readonly onVisibility: (listener: () => void) => vscode.Disposable
  readonly task: () => string | null
  /** Another task is shown in it. */
  readonly onTask: (listener: () => void) => vscode.Disposable
  readonly show: (id: string) => void
  /** Nothing: a task that is about to begin. */
  readonly name: (task: View.Line | undefined) => void
  /** The same one for every frame of this view. */
  readonly watchdog: Watchdog.Watchdog
  /** Puts another frame in the place of this one, with a conversation of its own. */
  readonly renew: () => void
}
