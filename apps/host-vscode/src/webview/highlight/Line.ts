/** What passes between a view and the worker that knows grammars. */
import type { Grammar } from "./languages.ts"

export type Kind = "comment" | "string" | "keyword" | "constant" | "name"

/** Pieces in their order, each with its kind where it has one. */
export type Line = ReadonlyArray<readonly [text: string, kind?: Kind]>

export interface Request {
  readonly grammar: Grammar
  readonly text: string
}
