/**
 * The entry of the thread that makes text of what strangers wrote: pages, PDFs and the definitions of source files.
 * `@belay/tool-executor/readable-worker`.
 *
 * A host that is bundled makes it an entry of its own and gives its address as `workerUrl`. Imported anywhere else than
 * in that thread it does nothing. What reads each kind is loaded with the first of it.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import type { Sources } from "./workspace/files/definitionsOf.ts"

type Work =
  | { readonly belayPage: { readonly html: string; readonly url: string } }
  | { readonly belayPdf: Uint8Array }
  | { readonly belayDefinitions: Sources }

const isWork = (value: unknown): value is Work =>
  typeof value === "object" &&
  value !== null &&
  ("belayPage" in value || "belayPdf" in value || "belayDefinitions" in value)

/** What each kind of work is done with: packages that are installed beside this one. */
const needed = (work: Work): string => {
  if ("belayPage" in work) return "@mozilla/readability linkedom turndown"
  return "belayPdf" in work ? "unpdf" : "web-tree-sitter @vscode/tree-sitter-wasm"
}

const isNotInstalled = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(cause.code))

const done = async (work: Work): Promise<unknown> => {
  if ("belayPage" in work)
    return (await import("./web/markdownOf.ts")).markdownOf(work.belayPage.html, work.belayPage.url)
  if ("belayPdf" in work) return (await import("./workspace/files/pdfText.ts")).pdfText(work.belayPdf)
  return (await import("./workspace/files/definitionsOf.ts")).definitionsOf(work.belayDefinitions)
}

if (parentPort !== null && isWork(workerData)) {
  const port: MessagePort = parentPort
  void done(workerData)
    .catch((cause: unknown) => {
      if (isNotInstalled(cause)) return { belayMissing: needed(workerData) }
      throw cause
    })
    .then((answer) => port.postMessage(answer))
}
