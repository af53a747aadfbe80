/** Histories on the server of these tests: each is a project of its own in one database. */
import type { TaskHistory } from "@belay/history-store"
import { layerPostgres as layer, migrate, type PostgresOptions } from "@belay/history-store/postgres"
import { PgConnection } from "@effect/sql-pg"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"

export const server = inject("postgres")

/** Where a history lies, and who opens it. */
export type Options = Partial<Omit<PostgresOptions, "url">> & { readonly url?: string }

const rules = Layer.merge(TaskStateMachine.layer, Reconciler.layer)

export const freshProject = (): string => `p-${randomUUID()}`

const migrated = Effect.runSync(
  Effect.cached(Effect.suspend(() => migrate({ url: Redacted.make(server?.owner ?? ""), roles: ["belay_worker"] })))
)

export const layerPostgres = ({ url = server?.worker ?? "", ...options }: Options = {}) =>
  Layer.unwrap(
    Effect.as(
      migrated,
      layer({ url: Redacted.make(url), project: freshProject(), principal: "tests", kind: "test", ...options })
    )
  ).pipe(Layer.provide(rules))

/** Waits until everybody but this process is known to be dead: it asks until then. */
export const untilDead = (owners: TaskHistory["Service"]["owners"]) =>
  Effect.repeat(owners, {
    schedule: Schedule.spaced("50 millis"),
    until: (seen) => seen.filter(({ liveness }) => liveness._tag !== "Dead").length <= 1
  })

/** One session of the superuser, who sees every project: runs a statement on it. */
export const admin = Effect.map(
  PgConnection.make({ url: Redacted.make(server?.admin ?? "") }),
  (connection) =>
    (text: string, values: ReadonlyArray<unknown> = []) =>
      Effect.map(connection.query(text, values), ({ rows }) => rows)
)

export type Admin = Effect.Success<typeof admin>
