/** The protocol's library, which whoever has servers installs beside this package. */
import * as Effect from "effect/Effect"
import { McpServerError } from "./McpServerError.ts"

const name = "@modelcontextprotocol/sdk"

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND" && cause.message.includes(name)

/** Loaded when there is a server to talk to. */
export const load = (server: string) =>
  Effect.tryPromise({
    try: () => import("./Connection.ts"),
    catch: (cause) => {
      // Else the package is there and broken.
      if (!isMissing(cause)) throw cause
      const problem = `The server ${server} cannot be started: ${name} is not installed. Install it: npm install ${name}`
      return new McpServerError({ server, reason: "start", problem })
    }
  })
