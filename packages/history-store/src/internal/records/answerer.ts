/** The process that an answer is given in, as its event keeps it. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Answerer } from "../../history/Event.ts"
import type { OwnerRow } from "../../history/Owner.ts"

const Stored = Schema.fromJsonString(
  Schema.Struct({ kind: Schema.String, host: Schema.String, pid: Schema.Finite, startedAt: Schema.Finite })
)

const decode = Schema.decodeUnknownOption(Stored)

/** Of the process, also where this is one of its threads. */
const startedAt = Math.round(performance.timeOrigin + performance.now() - process.uptime() * 1000)

/** This process, which is known by this row. */
export const of = ({ host, kind, pid }: OwnerRow): Answerer => ({ kind, host, pid, startedAt })

/** What is stored; nothing in records of older versions. */
export const read = (json: string | null): Answerer | null => Option.getOrNull(decode(json))
