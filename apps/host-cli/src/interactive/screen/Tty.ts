/**
 * The terminal, owned while a scope is open: its modes, its size, what is typed, and the one way to write to it.
 *
 * Whatever ends the scope or the process, its modes are as before, and nothing is written after that; nor is anything while
 * a shell has it, or another program that it is lent to. What others write to stderr meanwhile would stand in the middle of
 * a frame, so it is given to the owner as lines. A terminal that takes nothing holds nobody up.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Size } from "./Frame.ts"
import * as FullScreen from "./FullScreen.ts"
import * as JobControl from "./JobControl.ts"
import * as Modes from "./Modes.ts"
import * as StrayLines from "./StrayLines.ts"

/** How long an Escape may be the beginning of a key, in ms. */
export const escapeMs = (env: NodeJS.ProcessEnv): number => (Modes.isDirect(env) ? 20 : 100)

export interface Listener {
  readonly typed: (bytes: string) => void
  readonly resized: () => void
  /** Whole lines that something else has written to stderr. */
  readonly told: (lines: ReadonlyArray<string>) => void
  /** The terminal takes more again. */
  readonly drained: () => void
  /** Others had the terminal, and what is on the screen is theirs. */
  readonly returned: () => void
  /** There is no terminal any more. */
  readonly gone: () => void
  /** Something threw that nobody expects; the terminal is as before. */
  readonly broken: (cause: unknown) => void
}

export interface Tty {
  readonly size: () => Size
  /** One frame. */
  readonly write: (bytes: string) => void
  /** The other screen of the terminal is shown, or no more. */
  readonly page: (isOn: boolean) => void
  /** It has not taken yet what was written, or others have it. */
  readonly isBusy: () => boolean
  /** It jumps from one prompt to the next. */
  readonly hasMarks: boolean
  /** What it is told goes into its clipboard. */
  readonly hasClipboard: boolean
  /** What lets the desktop tell a line; nothing where no way is known. */
  readonly notice: ((text: string) => string) | undefined
  /** The terminal has told its size. */
  readonly sized: (size: Size) => void
  /** Keys that have one code are told apart from now on, or no more. */
  readonly tellKeysApart: (isOn: boolean) => void
  /** There is a shell that lets this process go on when it was stopped. */
  readonly canSuspend: () => boolean
  /** Gives the terminal to the shell and stops this process, until the shell lets it go on. */
  readonly suspend: () => void
  /** Another program has the terminal while this runs. */
  readonly lend: <A>(run: () => Promise<A>) => Promise<A>
  /** Gives the terminal back, as the end of the scope does. */
  readonly release: () => void
}

/** There are terminals that say they have no size. */
const sizeNow = (): Size => {
  const [columns, rows] = process.stdout.getWindowSize?.() ?? [0, 0]
  return { columns: columns || 80, rows: rows || 24 }
}

/** Whether a write waits until the terminal takes it: Node waits, and then nothing else is done meanwhile. */
const setBlocking = (isBlocking: boolean): void => {
  const { _handle: handle }: { readonly _handle?: { readonly setBlocking?: (is: boolean) => void } } =
    process.stdout as never
  handle?.setBlocking?.(isBlocking)
}

const ignore = (): void => undefined

const acquire = (listener: Listener, home: string): Tty => {
  const { env, stdin, stdout } = process
  let hasKeys = Modes.isDirect(env)
  const note = Modes.noteOf(home)
  let isOver = false
  let isOwned = false
  let isLent = false
  let isFull = false
  let isPaged = false
  let waiting: NodeJS.Timeout | undefined
  /** Of a terminal that tells whenever it changes. */
  let told: Size | undefined

  const gone = (): void => {
    if (!isOver) listener.gone()
  }
  const drained = (): void => {
    isFull = false
    if (isOwned) listener.drained()
  }
  const write = (bytes: string): void => {
    if (isOwned && bytes !== "") isFull = !stdout.write(bytes)
  }
  const take = (before = ""): void => {
    // What a shell has set in between is only seen by one that changes.
    stdin.setRawMode(false)
    stdin.setRawMode(true)
    setBlocking(false)
    isOwned = true
    write(`${before}${Modes.on(hasKeys)}`)
    note.write(hasKeys)
    stdin.on("data", listener.typed)
    stdin.resume()
  }
  const leave = (): void => {
    isOwned = false
    told = undefined
    stdin.off("data", listener.typed)
    stdin.pause()
  }
  const page = (isOn: boolean): void => {
    if (isOn !== isPaged) write(isOn ? FullScreen.on : FullScreen.off)
    isPaged = isOn
  }
  const give = (): void => {
    if (!isOwned) return
    page(false)
    write(Modes.off(hasKeys))
    setBlocking(true)
    leave()
    note.remove()
    if (stdin.isTTY) stdin.setRawMode(false)
  }
  const back = (): void => {
    take()
    listener.returned()
  }
  const continued = (): void => {
    clearTimeout(waiting)
    if (isOver || isLent) return
    if (JobControl.isInForeground()) return back()
    // In the background the shell has the terminal, which is not touched. A shell tells nobody that it gives it to a job
    // that runs.
    if (isOwned) leave()
    waiting = setTimeout(continued, JobControl.lookEvery())
  }
  const given = StrayLines.take(listener.told)
  const release = (): void => {
    if (isOver) return
    give()
    isOver = true
    clearTimeout(waiting)
    stdin.off("end", gone).off("error", gone).on("error", ignore)
    stdout.off("resize", listener.resized).off("drain", drained).off("error", gone).on("error", ignore)
    process.off("exit", release).off("SIGCONT", continued).off("uncaughtException", broken)
    given()
  }
  const broken = (cause: unknown): void => {
    release()
    listener.broken(cause)
  }
  stdin.setEncoding("utf8")
  stdin.on("end", gone).on("error", gone)
  stdout.on("resize", listener.resized).on("drain", drained).on("error", gone)
  process.on("exit", release).on("SIGCONT", continued).on("uncaughtException", broken)
  take(note.leftover)
  return {
    size: () => told ?? sizeNow(),
    write,
    page,
    hasMarks: Modes.hasMarks(env),
    hasClipboard: Modes.hasClipboard(env),
    notice: Modes.noticeOf(env),
    sized: (size) => void (told = size),
    isBusy: () => isFull || !isOwned,
    tellKeysApart: (isOn) => {
      if (isOn === hasKeys) return
      write(isOn ? Modes.keys.on : Modes.keys.off)
      hasKeys = isOn
      if (isOwned) note.write(hasKeys)
    },
    canSuspend: JobControl.canSuspend,
    suspend: () => {
      give()
      JobControl.suspend()
    },
    lend: async (run) => {
      isLent = true
      give()
      try {
        return await run()
      } finally {
        isLent = false
        if (!isOver) back()
      }
    },
    release
  }
}

/** Owns the terminal of this process, which is at stdin and stdout, until the scope ends. `home`: the data folder. */
export const own = (listener: Listener, home: string): Effect.Effect<Tty, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => acquire(listener, home)),
    ({ release }) => Effect.sync(release)
  )
