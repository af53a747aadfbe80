/** What stands in the composer of the shown task, for what goes with it. */
import { useSyncExternalStore } from "react"

let text = ""
const listeners = new Set<() => void>()

export const write = (now: string): void => {
  if (now === text) return
  text = now
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useWritten = (): string => useSyncExternalStore(subscribe, () => text)
