/**
 * A history on a Postgres server, for processes of several machines.
 *
 * @example
 * ```ts
 * import { layerPostgres, migrate } from "@belay/history-store/postgres"
 * ```
 */
export { layerPostgres, type PostgresOptions } from "./internal/postgres/layer.ts"
export { migrate, type MigrateOptions } from "./internal/postgres/migrate.ts"
