/**
 * The terminal, owned while a scope is open: its modes, its size, what is typed, and the one way to write to it.
 *
 * Whatever ends the scope or the process, its modes are as before, and nothing is written after that. What others write to
 * stderr meanwhile would stand in the middle of a frame, so it is given to the owner as lines.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Size } from "./Frame.ts"

const escape = "\u001B["

/** What is pasted is told apart from what is typed. */
const pasting = { on: `${escape}?2004h`, off: `${escape}?2004l` }

/** Keys are told apart that have one code: https://sw.kovidgoyal.net/kitty/keyboard-protocol/ */
const keys = { on: `${escape}>1u`, off: `${escape}<u` }

/** What a frame turns off and on, should it have been cut. */
const whole = `${escape}?7h${escape}?25h${escape}?2026l`

/** A connection that breaks, or what stands between, would leave the keys told apart for whoever comes next. */
const isDirect = (env: NodeJS.ProcessEnv): boolean =>
  ["SSH_CONNECTION", "TMUX", "STY", "ZELLIJ"].every((name) => (env[name] ?? "") === "")

/** How long an Escape may be the beginning of a key, in ms. */
export const escapeMs = (env: NodeJS.ProcessEnv): number => (isDirect(env) ? 20 : 100)

export interface Listener {
  readonly typed: (bytes: string) => void
  readonly resized: () => void
  /** Whole lines that something else has written to stderr. */
  readonly told: (lines: ReadonlyArray<string>) => void
  /** The terminal takes more again. */
  readonly drained: () => void
  /** There is no terminal any more. */
  readonly gone: () => void
}

export interface Tty {
  readonly size: () => Size
  /** One frame. */
  readonly write: (bytes: string) => void
  /** It has not taken yet what was written. */
  readonly isBusy: () => boolean
  /** Gives the terminal back, as the end of the scope does. */
  readonly release: () => void
}

/** There are terminals that say they have no size. */
const sizeNow = (): Size => {
  const [columns, rows] = process.stdout.getWindowSize?.() ?? [0, 0]
  return { columns: columns || 80, rows: rows || 24 }
}

/** Takes what is written to stderr; the function that it gives ends that, and writes a line that was not whole. */
const takeStderr = (told: Listener["told"]): (() => void) => {
  const { stderr } = process
  const own = stderr.write.bind(stderr)
  let open = ""
  const take = (text: string): void => {
    const lines = `${open}${text}`.split("\n")
    open = lines.pop() ?? ""
    if (lines.length > 0) told(lines)
  }
  stderr.write = (chunk: string | Uint8Array, encoding?: unknown, written?: unknown) => {
    take(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString())
    const then = typeof encoding === "function" ? encoding : written
    if (typeof then === "function") setImmediate(() => (then as () => void)())
    return true
  }
  return () => {
    stderr.write = own
    if (open !== "") own(`${open}\n`)
  }
}

const acquire = (listener: Listener): Tty => {
  const { env, stdin, stdout } = process
  const hasKeys = isDirect(env)
  let isOver = false
  let isFull = false
  const gone = (): void => {
    if (!isOver) listener.gone()
  }
  const drained = (): void => {
    isFull = false
    listener.drained()
  }
  const write = (bytes: string): void => {
    if (!isOver && bytes !== "") isFull = !stdout.write(bytes)
  }
  const given = takeStderr(listener.told)
  const release = (): void => {
    if (isOver) return
    write(`${hasKeys ? keys.off : ""}${pasting.off}${whole}`)
    isOver = true
    stdin.off("data", listener.typed).off("end", gone).off("error", gone)
    stdout.off("resize", listener.resized).off("drain", drained).off("error", gone)
    process.off("exit", release)
    if (stdin.isTTY) stdin.setRawMode(false)
    stdin.pause()
    given()
  }
  stdin.setEncoding("utf8")
  stdin.setRawMode(true)
  stdin.on("data", listener.typed).on("end", gone).on("error", gone)
  stdout.on("resize", listener.resized).on("drain", drained).on("error", gone)
  process.on("exit", release)
  write(`${pasting.on}${hasKeys ? keys.on : ""}`)
  stdin.resume()
  return { size: sizeNow, write, isBusy: () => isFull, release }
}

/** Owns the terminal of this process, which is at stdin and stdout, until the scope ends. */
export const own = (listener: Listener): Effect.Effect<Tty, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => acquire(listener)),
    ({ release }) => Effect.sync(release)
  )
