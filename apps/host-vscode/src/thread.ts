/** The entry of the history's thread as it is bundled: loads the rest as the editor's own thread does. */
import { workerData } from "node:worker_threads"
import { fileURLToPath } from "node:url"
import * as Bundled from "./activation/Bundled.ts"

const { directory } = (workerData as { readonly belayHistory: { readonly directory: string } }).belayHistory

Bundled.load(fileURLToPath(new URL(".", import.meta.url)), directory, "worker.js")
