/**
 * Who of the others lives, as a transaction decides by it.
 *
 * Locks of files are looked at before, since nothing but the database is touched inside of a transaction; who came
 * meanwhile lives.
 */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statements } from "../database/statements.ts"
import type { OwnerRow } from "../../history/Owner.ts"
import type { Ownership } from "../../ownership/Ownership.ts"
import * as Owners from "./owners.ts"

/** The others, as they were when they were looked at. */
export interface Probed {
  readonly dead: ReadonlyArray<OwnerRow>
  readonly unknown: ReadonlyArray<OwnerRow>
}

export interface Judged extends Probed {
  readonly alive: (ownerId: string) => boolean
}

export interface Judge {
  readonly before: Effect.Effect<Probed, SqlError>
  /** In the transaction, with what was found before it. */
  readonly within: (sql: Statements, probed: Probed) => Effect.Effect<Judged, SqlError>
}

export const nobody: Probed = { dead: [], unknown: [] }

/** Without a look nobody is taken for dead. */
export const unasked: Judged = { ...nobody, alive: () => true }

/** Without a row an owner has left; one that came after the look lives. */
export const judged = (present: ReadonlyArray<OwnerRow>, probed: Probed): Judged => {
  const gone = new Set(probed.dead.map((row) => row.ownerId))
  const there = new Set(present.map((row) => row.ownerId))
  return { ...probed, alive: (id) => there.has(id) && !gone.has(id) }
}

/** By the proofs that `Ownership` looks at. */
export const byProof = (sql: Statements, ownership: Ownership["Service"]): Judge => ({
  before: Effect.gen(function* () {
    const others = (yield* Owners.all(sql)).filter((row) => row.ownerId !== ownership.row.ownerId)
    const found = yield* Effect.forEach(others, ownership.liveness)
    return {
      dead: others.filter((_, index) => found[index]?._tag === "Dead"),
      unknown: others.filter((_, index) => found[index]?._tag === "Unknown")
    }
  }),
  within: (own, probed) => Effect.map(Owners.all(own), (rows) => judged(rows, probed))
})
