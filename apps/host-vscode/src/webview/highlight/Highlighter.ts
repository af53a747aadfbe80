/**
 * Colours for code that is shown: asked for once, by whoever shows it, and kept for the next time.
 *
 * Until there is an answer code is plain text, and it stays so for ever when the worker cannot be had, dies or is slow.
 * An answer counts only when its characters are those of the code.
 */
import type { Line, Request } from "./Line.ts"
import type { Grammar } from "./languages.ts"

export interface Worker {
  readonly ask: (request: Request) => void
  readonly end: () => void
}

export interface Events {
  readonly answered: (lines: ReadonlyArray<Line>) => void
  readonly died: () => void
}

export interface Highlighter {
  /** What is known already. */
  readonly known: (grammar: Grammar, text: string) => ReadonlyArray<Line> | undefined
  /** Calls back when it is known; until it is given up, and perhaps never. */
  readonly want: (grammar: Grammar, text: string, listener: () => void) => () => void
}

const longest = 20_000
const mostLines = 400
/** Elements that one piece of code may become. */
const mostPieces = 1500
const mostKept = 200
/** ms that an answer may take. */
const patience = 20_000

const isShort = (text: string): boolean => text.length <= longest && text.split("\n").length <= mostLines

const isOf = (lines: ReadonlyArray<Line>, text: string): boolean =>
  lines.reduce((count, line) => count + line.length, 0) <= mostPieces &&
  lines.map((line) => line.map(([piece]) => piece).join("")).join("\n") === text

/** `open` is called when something is wanted for the first time. */
export const make = (open: (events: Events) => Promise<Worker>): Highlighter => {
  const kept = new Map<string, ReadonlyArray<Line> | undefined>()
  const wanted = new Map<string, { readonly request: Request; readonly listeners: Set<() => void> }>()
  let worker: Promise<Worker | undefined> | undefined
  let asked: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let dead = false

  const keyOf = (grammar: Grammar, text: string): string => `${grammar}\n${text}`

  const die = (): void => {
    dead = true
    clearTimeout(timer)
    wanted.clear()
    void worker?.then((one) => one?.end())
  }

  const answered = (lines: ReadonlyArray<Line>): void => {
    clearTimeout(timer)
    const key = asked
    asked = undefined
    if (dead || key === undefined) return
    const one = wanted.get(key)
    wanted.delete(key)
    kept.set(key, isOf(lines, key.slice(key.indexOf("\n") + 1)) ? lines : undefined)
    for (const oldest of [...kept.keys()].slice(0, -mostKept)) kept.delete(oldest)
    for (const listener of one?.listeners ?? []) listener()
    void next()
  }

  /** One at a time, so that what is not shown any more is never asked for. */
  const next = async (): Promise<void> => {
    const [key, one] = [...wanted][0] ?? []
    if (dead || asked !== undefined || key === undefined || one === undefined) return
    asked = key
    worker ??= open({ answered, died: die }).catch(() => undefined)
    const there = await worker
    if (there === undefined || dead) return die()
    timer = setTimeout(die, patience)
    there.ask(one.request)
  }

  return {
    known: (grammar, text) => kept.get(keyOf(grammar, text)),
    want: (grammar, text, listener) => {
      const key = keyOf(grammar, text)
      if (dead || kept.has(key) || !isShort(text)) return () => undefined
      const one = wanted.get(key) ?? { request: { grammar, text }, listeners: new Set() }
      wanted.set(key, one)
      one.listeners.add(listener)
      void next()
      return () => {
        one.listeners.delete(listener)
        if (one.listeners.size === 0 && asked !== key) wanted.delete(key)
      }
    }
  }
}
