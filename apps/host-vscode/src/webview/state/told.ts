/** What is told beside the state: nothing of it is lost before the first picture, and nothing is told twice. */
export interface Told<A> {
  readonly tell: (message: A) => void
  /** Until it is given up; whoever comes first is told what came before, too. */
  readonly listen: (listener: (message: A) => void) => () => void
  /** All who listen from the beginning are there. */
  readonly begun: () => void
}

export const make = <A>(): Told<A> => {
  const listeners = new Set<(message: A) => void>()
  let early: ReadonlyArray<A> = []
  return {
    tell: (message) => {
      if (listeners.size === 0) early = [...early, message]
      for (const listener of listeners) listener(message)
    },
    listen: (listener) => {
      listeners.add(listener)
      for (const message of early) listener(message)
      return () => void listeners.delete(listener)
    },
    begun: () => {
      early = []
    }
  }
}
