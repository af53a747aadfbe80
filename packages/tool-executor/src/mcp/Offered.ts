/** What a server offers: its tools and resources, asked for page by page, up to a limit. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js"
import {
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema
} from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Approved from "./Approved.ts"
import type { Described, Lists } from "./ServerConnection.ts"

const listMillis = 30_000
const mostTools = 1000
const mostResources = 200
const mostPages = 50

/** Asks the server for something, named as people read it, with a limit in ms. */
type Within<E> = <A>(
  what: string,
  millis: number,
  request: (options: RequestOptions) => Promise<A>
) => Effect.Effect<A, E>

/** Asks a server that is connected for all of it. */
export const look = <E>(client: Client, within: Within<E>): Effect.Effect<Lists, E> => {
  const pages = <A>(
    what: string,
    most: number,
    request: (
      cursor: { cursor?: string },
      options: RequestOptions
    ) => Promise<{ items: ReadonlyArray<A>; next: string | undefined }>
  ) =>
    Effect.gen(function* () {
      const all: Array<A> = []
      let cursor: string | undefined
      for (let page = 0; page < mostPages && all.length < most; page++) {
        const at = cursor
        const found = yield* within(what, listMillis, (given) => request(at === undefined ? {} : { cursor: at }, given))
        all.push(...found.items)
        cursor = found.next
        if (cursor === undefined) break
      }
      return all.slice(0, most)
    })

  const toolPages = pages("tools/list", mostTools, async (params, given) => {
    const { nextCursor, tools } = await client.request({ method: "tools/list", params }, ListToolsResultSchema, given)
    return { items: tools, next: nextCursor }
  })
  const resourcePages = pages("resources/list", mostResources, async (params, given) => {
    const found = await client.request({ method: "resources/list", params }, ListResourcesResultSchema, given)
    return { items: found.resources, next: found.nextCursor }
  })
  const templatePages = pages("resources/templates/list", mostResources, async (params, given) => {
    const method = "resources/templates/list"
    const found = await client.request({ method, params }, ListResourceTemplatesResultSchema, given)
    return { items: found.resourceTemplates, next: found.nextCursor }
  })

  return Effect.gen(function* () {
    const can = client.getServerCapabilities() ?? {}
    const tools = can.tools === undefined ? [] : yield* toolPages
    // Without templates, or any list of them, a server is of use all the same.
    const resources = can.resources === undefined ? [] : yield* Effect.orElseSucceed(resourcePages, () => [])
    const templates = can.resources === undefined ? [] : yield* Effect.orElseSucceed(templatePages, () => [])
    const described = tools.map(({ annotations: _, description = "", inputSchema, name: tool, title }): Described => {
      const about = { name: tool, description: [title, description].filter(Boolean).join(": "), inputSchema }
      return { ...about, hash: Approved.hashOf(about) }
    })
    return {
      tools: new Map(described.map((tool) => [tool.name, tool])),
      resources: [
        ...resources.map(({ description = "", name: label, uri }) => ({
          uri,
          name: label,
          description,
          isTemplate: false
        })),
        ...templates.map(({ description = "", name: label, uriTemplate: uri }) => ({
          uri,
          name: label,
          description,
          isTemplate: true
        }))
      ]
    }
  })
}
