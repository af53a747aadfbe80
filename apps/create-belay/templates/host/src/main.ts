/** A host over HTTP: any request answers what is asked, and what `kill -9` ends the next process goes on with. */
import { type Answer, createBelay } from "@belay/sdk"
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import * as path from "node:path"
import { json } from "node:stream/consumers"
import { model } from "./model.ts"

const workspace = path.resolve("project")
mkdirSync(workspace, { recursive: true })
const belay = await createBelay({ directory: "data", model, kind: "http" })
for (const { id } of await belay.recover()) console.log(`going on with ${id}`)

const routes: Record<string, (id: string, body: () => Promise<unknown>) => Promise<unknown>> = {
  "POST tasks": async (_, body) => {
    const { prompt } = (await body()) as { readonly prompt: string }
    const { id } = await belay.start({ prompt, workspace, limits: { maxRequests: 50 } })
    return { id }
  },
  "GET tasks": (id) => belay.history.task(id),
  "GET asks": () => belay.asks(),
  "POST asks": async (askId, body) => belay.answer(askId, (await body()) as Answer)
}

const server = createServer(async (request, response) => {
  const [, what = "", id = ""] = request.url?.split("/") ?? []
  try {
    const found = await routes[`${request.method} ${what}`]?.(id, () => json(request))
    response.setHeader("content-type", "application/json").end(JSON.stringify(found ?? null))
  } catch (cause) {
    response.writeHead(400).end(String(cause))
  }
})
// Whoever reaches the port may allow what is asked: put a login of yours before it.
server.listen(Number(process.env["PORT"] ?? 8080), "127.0.0.1", () => console.log("listening", server.address()))

process.once("SIGTERM", async () => {
  server.close()
  await belay.close()
})
