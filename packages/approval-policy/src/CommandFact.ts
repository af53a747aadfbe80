/** The exact text that a shell would run, and the folder it would run in. */
import * as Schema from "effect/Schema"
import { PathFact } from "./PathFact.ts"

export const CommandFact = Schema.Struct({ text: Schema.String, cwd: PathFact })
export type CommandFact = typeof CommandFact.Type
