/** A host over HTTP: any request answers what is asked, and what `kill -9` ends the next process goes on with. */
import { anthropic, createBelay } from "@belay/sdk"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

const { DATA = "data", KEY = "", MODEL_URL = "https://api.anthropic.com", PORT = "0", WORKSPACE = "." } = process.env
const model = anthropic({ apiKey: KEY, baseUrl: MODEL_URL })
const belay = await createBelay({ directory: DATA, model, kind: "http" })
await belay.recover()

const routes: Record<string, (id: string, body: any) => Promise<unknown>> = {
  "POST tasks": (_, { prompt }) => belay.start({ prompt, workspace: WORKSPACE }).then(({ id }) => ({ id })),
  "GET tasks": (id) => belay.history.task(id),
  "GET asks": () => belay.asks(),
  "POST asks": (askId, answer) => belay.answer(askId, answer)
}
const server = createServer(async (request, response) => {
  const [, what = "", id = ""] = request.url?.split("/") ?? []
  const body = JSON.parse((await text(request)) || "{}")
  await Promise.resolve(routes[`${request.method} ${what}`]?.(id, body)).then(
    (found) => response.end(JSON.stringify(found ?? null)),
    (cause) => response.writeHead(400).end(String(cause))
  )
})
server.listen(Number(PORT), "127.0.0.1", () => console.log(JSON.stringify(server.address())))
