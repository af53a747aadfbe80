import path from "node:path"
import type { Plugin, RolldownOptions } from "rolldown"

/** What a host's bundle does not forgive: an import that is not found would be left for its user to meet. */
export const whole: Pick<RolldownOptions, "onLog"> = {
  onLog: (level, log, handler) => {
    if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message)
    // A library that the grammars need.
    if (log.code !== "EVAL") handler(level, log)
  }
}

const headerMap = path.resolve(import.meta.dirname, "../../packages/model-client/src/internal/HeaderMap.ts")

/** The SDK of the model service without the built-in `fetch`, which its `Headers` alone would load at each start. */
export const lightHeaders: Plugin = {
  name: "light-headers",
  transform: {
    filter: { id: /@anthropic-ai[\\/]sdk[\\/].*\.mjs$/, code: /\bHeaders\b/ },
    handler: (code) => `import { HeaderMap as Headers } from ${JSON.stringify(headerMap)};\n${code}`
  }
}
