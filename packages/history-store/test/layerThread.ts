import { layerWorker } from "@belay/history-store"
import { urlOf } from "./programs.ts"

/** A history with its database in a thread, which starts from what was bundled. */
export const layerThread = (directory: string) => layerWorker({ directory, kind: "test", workerUrl: urlOf("worker") })
