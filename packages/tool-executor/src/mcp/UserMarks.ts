/**
 * What the user's own file says of a tool of an MCP server, without starting one.
 *
 * Guarantee: nothing is run or connected; what a server would say of itself has no part in it.
 */
import type { McpFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as Approved from "./Approved.ts"
import * as ServerFile from "./ServerFile.ts"

/** A tool of a server, or a resource by its address. */
export interface Named {
  readonly server: string
  readonly name: string
  readonly resource: boolean
}

const textOf = (file: string): string | undefined => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    return "unreadable"
  }
}

/** Undefined when the user's file, which need not be there, defines no such server and says nothing of its tool. */
export const factOf = (file: string, { name, resource, server }: Named): Effect.Effect<McpFact.McpFact | undefined> =>
  Effect.suspend(() => ServerFile.parse(textOf(file), { file, whose: "user" })).pipe(
    Effect.map(({ marks, servers }): McpFact.McpFact | undefined => {
      // Marks are of tools, whatever a resource is called.
      const mark = resource ? undefined : marks.get(`${server}/${name}`)
      const definition = servers.get(server)
      const off =
        definition?.disabled === true
          ? `The server '${server}' is switched off.`
          : mark === "disabled"
            ? `The user has switched '${server}/${name}' off.`
            : undefined
      if (definition === undefined && mark === undefined) return undefined
      // A mark that frees holds for the user's own servers only.
      const readOnly = mark === "readOnly" && definition !== undefined
      const bound = definition === undefined ? {} : { definition: Approved.hashOf(definition) }
      const fact = { server, name, resource, ...bound, readOnly, approved: true }
      return off === undefined ? fact : { ...fact, missing: off }
    }),
    Effect.catch(({ message }) =>
      Effect.succeed({ server, name, resource, readOnly: false, approved: false, missing: message })
    )
  )
