import type { RolldownOptions } from "rolldown"

/** What a host's bundle does not forgive: an import that is not found would be left for its user to meet. */
export const whole: Pick<RolldownOptions, "onLog"> = {
  onLog: (level, log, handler) => {
    if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message)
    // A library that the grammars need.
    if (log.code !== "EVAL") handler(level, log)
  }
}
