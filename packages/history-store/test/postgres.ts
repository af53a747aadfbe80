/** Histories on the server of these tests: each is a project of its own in one database. */
import { layerPostgres as layer, migrate, type PostgresOptions } from "@belay/history-store/postgres"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import { Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"

export const server = inject("postgres")

/** Where a history lies, and who opens it. */
export type Options = Partial<Omit<PostgresOptions, "url">> & { readonly url?: string }

const rules = Layer.merge(TaskStateMachine.layer, Reconciler.layer)

const freshProject = (): string => `p-${randomUUID()}`

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
