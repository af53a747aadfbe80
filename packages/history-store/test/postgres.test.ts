import { contract } from "@belay/history-store/testing"
import { describe, it } from "@effect/vitest"
import { layerPostgres, server } from "./postgres.ts"
import { requests } from "./requests.ts"
import { contract as searching } from "./searching.ts"

describe.skipIf(server === undefined)("a server", () => {
  contract({ describe, it }, "a history in Postgres", () => layerPostgres())
  requests("requests to a history in Postgres", () => layerPostgres())
  searching("a search in Postgres", () => layerPostgres())
})
