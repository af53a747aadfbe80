/**
 * Who follows a history on a server is told of a commit after it was made, and not inside of it: a commit that tells takes
 * one lock of the whole server. What was lost on the way is found by a look every two seconds.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type { Scope } from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"
import { configOf, onTime, type Session } from "./client.ts"

export interface Wake {
  /** Another one whenever somebody else has written. */
  readonly version: Effect.Effect<number>
  /** Tells the others, once for all that was committed within 20 ms. */
  readonly tell: Effect.Effect<void>
}

/** Names of channels have 63 bytes at most. */
const channelOf = (project: string): string =>
  `belay_${createHash("sha256").update(project).digest("hex").slice(0, 32)}`

/** Nobody asks any more what became of a commit of yesterday. */
const forget = "DELETE FROM committed WHERE at < clock_timestamp() - interval '1 day'"

interface Parts {
  readonly session: Session
  /** One connection, from which is told. */
  readonly pool: PgPool.PgPool
  /** The version as the tables have it. */
  readonly exact: Effect.Effect<number, SqlError>
}

export const make = ({ exact, pool, session }: Parts): Effect.Effect<Wake, never, Scope> =>
  Effect.gen(function* () {
    const channel = channelOf(session.project)
    const due = yield* Queue.sliding<true>(1)
    /** The sessions of this process: what they told is known here. */
    const own = new Set<number>()
    let seen = 0
    let version = 0
    let isUntold = false
    const bump = Effect.sync(() => {
      version++
    })

    const telling = Effect.scoped(
      Effect.flatMap(pool.get, (connection) => {
        isUntold = false
        own.add(connection.processId)
        return connection.query("SELECT pg_notify($1, '')", [channel])
      })
    )
    const tells = Effect.andThen(Queue.take(due), Effect.delay(Effect.ignore(telling), "20 millis"))

    const listens = Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* PgConnection.make(configOf(session))
        const told = yield* connection.listen(channel)
        // Whatever was told before is not known here.
        yield* bump
        return yield* Effect.forever(
          Effect.flatMap(Queue.take(told), ({ processId }) => (own.has(processId) ? Effect.void : bump))
        )
      })
    )

    const forgets = Effect.scoped(Effect.flatMap(pool.get, (connection) => connection.query(forget)))

    const looks = Effect.map(exact, (now) => {
      if (now !== seen) version++
      seen = now
    })

    const tell = Effect.suspend(() => {
      isUntold = true
      return Effect.asVoid(Queue.offer(due, true))
    })

    yield* Effect.addFinalizer(() => (isUntold ? onTime(Effect.ignore(telling)) : Effect.void))
    yield* Effect.forkScoped(onTime(Effect.forever(tells)))
    yield* Effect.forkScoped(onTime(Effect.repeat(Effect.ignore(listens), Schedule.spaced("1 second"))))
    yield* Effect.forkScoped(onTime(Effect.repeat(Effect.ignore(looks), Schedule.spaced("2 seconds"))))
    yield* Effect.forkScoped(onTime(Effect.repeat(Effect.ignore(forgets), Schedule.spaced("1 hour"))))
    return { version: Effect.sync(() => version), tell }
  })
