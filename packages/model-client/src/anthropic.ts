/**
 * A `ModelClient` over Anthropic's SDK, for every service that speaks the Messages API.
 *
 * The SDK is loaded with the first request. Nothing is read from the environment.
 */
import type * as Layer from "effect/Layer"
import { layerOf } from "./internal/client.ts"
import { connect } from "./internal/connection.ts"
import type { BoundOptions, ConnectionOptions } from "./internal/ConnectionOptions.ts"
import type { ModelClient } from "./ModelClient.ts"

/** Configures the client. Without options it asks Anthropic, without a key. */
export interface Options extends ConnectionOptions, BoundOptions {}

/** A client of one service. Reads that are still open when its scope ends are aborted. */
export const layer = (options: Options = {}): Layer.Layer<ModelClient> => layerOf(() => connect(options), options)
