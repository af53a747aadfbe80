import { contract } from "@belay/history-store/testing"
import { describe, it } from "@effect/vitest"
import { layerPostgres, server } from "./postgres.ts"
import { requests } from "./requests.ts"
import { contract as searching } from "./searching.ts"

/** However busy the machine is, nobody is taken for dead, and no session is ended, since it was slow. */
const layer = () => layerPostgres({ ttl: 60_000 })

describe.skipIf(server === undefined)("a server", () => {
  contract({ describe, it }, "a history in Postgres", layer)
  requests("requests to a history in Postgres", layer)
  searching("a search in Postgres", layer)
})
