/** What a client program is shown, whatever version of the protocol it speaks. */
import type { Event } from "@belay/history-store"

export type Kind = "read" | "edit" | "search" | "execute" | "fetch" | "switch_mode" | "other"

export type Content =
  | { readonly type: "text"; readonly text: string }
  /** `path` is absolute; `before` is `null` for a new file. */
  | { readonly type: "diff"; readonly path: string; readonly before: string | null; readonly after: string }

/** A call, or what has changed of it. */
export interface Call {
  readonly id: string
  readonly title?: string
  /** Of the tool. */
  readonly name?: string
  readonly kind?: Kind
  readonly status?: "pending" | "in_progress" | "completed" | "failed"
  readonly input?: unknown
  /** Absolute. */
  readonly paths?: ReadonlyArray<string>
  /** In the place of what was shown before. */
  readonly content?: ReadonlyArray<Content>
}

/** One thing that the client shows. */
export type Update =
  | {
      readonly type: "said"
      readonly by: "user" | "agent" | "thought"
      readonly text: string
      /** Of the message that it is a part of. */
      readonly message: string
    }
  | { readonly type: "picture"; readonly mediaType: string; readonly data: string; readonly message: string }
  | { readonly type: "call"; readonly call: Call & { readonly title: string } }
  | { readonly type: "change"; readonly call: Call }
  /** What a running call has printed: often, and only the newest counts. */
  | { readonly type: "output"; readonly id: string; readonly text: string }
  | { readonly type: "plan"; readonly items: ReadonlyArray<Event.ChecklistItem> }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "mode"; readonly mode: Event.Mode }
  | { readonly type: "usage"; readonly used: number; readonly size: number; readonly costUsd: number | null }
