/**
 * The entry of the thread that turns pages into Markdown: `@belay/tool-executor/readable-worker`.
 *
 * A host that is bundled makes it an entry of its own and gives its address as `workerUrl`. Imported anywhere else than
 * in that thread it does nothing.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { markdownOf, type Page } from "./web/markdownOf.ts"

const isPage = (value: unknown): value is { readonly belayPage: { readonly html: string; readonly url: string } } =>
  typeof value === "object" && value !== null && "belayPage" in value

if (parentPort !== null && isPage(workerData)) {
  const port: MessagePort = parentPort
  const { html, url } = workerData.belayPage
  port.postMessage({ ...markdownOf(html, url) } satisfies Page)
}
