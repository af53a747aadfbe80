/** What no file, no log and no line of this extension may hold: its keys, and what the environment calls secret. */
import { Redaction } from "@belay/model-client"

export const redaction: Redaction.Redaction = Redaction.make(Redaction.valuesOf(process.env))
