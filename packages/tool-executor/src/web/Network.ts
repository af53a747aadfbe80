/**
 * The way to the web: names are resolved here, and connections go to addresses that were judged, never to names.
 *
 * A service of its own so that a host can resolve in its own way, and tests can lead public addresses to loopback.
 */
import * as Effect from "effect/Effect"

/** Resolves names and opens connections, so that tests need no network. */
export interface Network {
  /** All addresses of a host name, in the order in which they are tried; none where there is no such name. */
  readonly resolve: (host: string) => Effect.Effect<ReadonlyArray<string>>
  /** Where a connection to a judged address goes. */
  readonly dial: (address: string, port: number) => { readonly host: string; readonly port: number }
}

/** The resolver of the system, and connections to exactly what it was judged as. */
export const node: Network = {
  resolve: (host) =>
    Effect.tryPromise(async () => (await import("node:dns/promises")).lookup(host, { all: true })).pipe(
      Effect.map((found) => found.map(({ address }) => address)),
      Effect.orElseSucceed(() => [])
    ),
  dial: (host, port) => ({ host, port })
}
