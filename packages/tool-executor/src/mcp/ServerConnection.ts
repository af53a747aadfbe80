/**
 * What a server that is connected offers and answers. Without the protocol's library, which is loaded when there is a server
 * to talk to.
 */
import type * as Effect from "effect/Effect"
import type { McpServerError } from "./McpServerError.ts"

/** A tool as the server describes it. */
export interface Described {
  readonly name: string
  readonly description: string
  readonly inputSchema: unknown
  /** SHA-256 of all of this, hexadecimal. */
  readonly hash: string
}

/** A resource, or with `isTemplate` a pattern of addresses. */
export interface Resource {
  readonly uri: string
  readonly name: string
  /** What the server says of it; empty when it says nothing. */
  readonly description: string
  readonly isTemplate: boolean
}

export interface Lists {
  readonly tools: ReadonlyMap<string, Described>
  readonly resources: ReadonlyArray<Resource>
}

/** A resource in full: its text, or its bytes in base64. */
export type Part =
  | { readonly uri: string; readonly mimeType?: string | undefined; readonly text: string }
  | { readonly uri: string; readonly mimeType?: string | undefined; readonly blob: string }

/** A part of the answer of a tool. Bytes are in base64. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource"; readonly resource: Part }
  | {
      readonly type: "resource_link"
      readonly uri: string
      readonly name: string
      readonly description?: string | undefined
      readonly mimeType?: string | undefined
    }

export interface ToolResult {
  readonly content: ReadonlyArray<Block>
  readonly structuredContent?: { readonly [name: string]: unknown } | undefined
  readonly isError?: boolean | undefined
}

export interface ResourceResult {
  readonly contents: ReadonlyArray<Part>
}

export interface Connection {
  readonly lists: Effect.Effect<Lists, McpServerError>
  readonly call: (
    tool: string,
    args: Readonly<Record<string, unknown>>,
    progress: (text: string) => void
  ) => Effect.Effect<ToolResult, McpServerError>
  readonly read: (uri: string) => Effect.Effect<ResourceResult, McpServerError>
  /** It cannot be used any more; how it ended, as a phrase. */
  readonly ended: () => string | undefined
  /** The last that it said besides. */
  readonly log: () => string
}
