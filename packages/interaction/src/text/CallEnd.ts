/** How a call ended, as people are told it; what older histories do not say of it is told from its result. */
import type { Event } from "@belay/history-store"

type Finished = Extract<Event.StoredEvent, { readonly type: "tool.finished" }>

const textOf = (blocks: Finished["result"]): string =>
  blocks.map((block) => (block.type === "text" ? block.text : "(image)")).join("\n")

/** Of a call that never began: the policy, a person or nobody's answer kept it from running. */
export const isDenied = ({ isError, result }: Pick<Finished, "isError" | "result">): boolean =>
  isError && textOf(result).startsWith("Not run:")

/** Says how a call ended. */
export type Ended = "done" | "failed" | "denied" | "timedOut" | "stopped" | "unknown"

/** `began`: it had started. */
export const endOf = (event: Pick<Finished, "isError" | "outcome" | "result" | "state">, began: boolean): Ended => {
  if (event.outcome !== undefined) return event.outcome
  if (event.state === "unknown") return "unknown"
  if (!event.isError) return "done"
  return !began && isDenied(event) ? "denied" : "failed"
}

/** Says how a call ended that was no success, in words. */
export const endings: { readonly [K in Exclude<Ended, "done" | "unknown">]: string } = {
  failed: "failed",
  denied: "denied",
  timedOut: "timed out",
  stopped: "stopped"
}

/** In milliseconds; nothing for a call that did not run. */
export const took = ({ ms, ts }: Pick<Finished, "ms" | "ts">, startedAt: number | undefined) =>
  ms ?? (startedAt === undefined ? undefined : ts - startedAt)
