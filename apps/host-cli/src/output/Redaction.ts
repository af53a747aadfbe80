/** What no output and no file of this process may hold: its keys, and what its environment calls secret. */
import { Redaction } from "@belay/model-client"

export const redaction: Redaction.Redaction = Redaction.make(Redaction.valuesOf(process.env))
