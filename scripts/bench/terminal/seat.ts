/**
 * A place at a pseudo-terminal where a program is typed at and its bytes are counted. What it asks of a terminal at its
 * start is answered, as terminals do.
 */
import * as Pty from "../../../apps/host-cli/test/support/Pty.ts"
import { now } from "../programs/clock.ts"

export const size: Pty.Size = { columns: 120, rows: 40 }

/** How long something may take, in ms. */
const patience = 180_000

/** What of a byte stream people read. */
const legible = (bytes: string): string =>
  // oxlint-disable-next-line no-control-regex
  bytes.replaceAll(/\u001B(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[[(][0-9;?<>=]*[ -/]*[@-~]|.)/gu, "")

export interface Seat {
  readonly pid: number
  /** When it was started. */
  readonly started: number
  /** How many bytes it has written so far. */
  readonly bytes: () => number
  /** What it has written since that many bytes. */
  readonly since: (bytes: number) => string
  /** Resolves with the time at which what was written since then has this in it. */
  readonly seen: (what: RegExp | string, since?: number) => Promise<number>
  readonly type: (text: string) => void
  /** Types one character that stands nowhere else; resolves with the ms until it is written. */
  readonly key: () => Promise<number>
  readonly resize: (to: Pty.Size) => void
  /** Resolves when nothing was written for so many ms. */
  readonly quiet: (ms: number) => Promise<void>
  readonly kill: () => Promise<void>
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Of Latin letters that no text of ours has. */
const firstKey = 0x100
const keys = 300

export const take = (command: ReadonlyArray<string>, env: NodeJS.ProcessEnv, cwd: string): Seat => {
  const started = now()
  const child = Pty.spawn(
    command,
    { ...env, TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8" },
    cwd,
    size
  )
  let all = ""
  let bytes = 0
  let last = now()
  let typed = 0
  const looks = new Set<(at: number) => void>()
  /** Where in the text each so many bytes are. */
  const marks = new Map<number, number>([[0, 0]])
  child.onData((text) => {
    const at = now()
    last = at
    all += text
    bytes += Buffer.byteLength(text)
    marks.set(bytes, all.length)
    if (text.includes("\u001B[c")) child.write("\u001B[?62;22c")
    if (text.includes("\u001B[6n")) child.write("\u001B[1;1R")
    for (const look of looks) look(at)
  })
  let isOver = false
  const over = new Promise<void>((resolve) => {
    child.onExit(() => {
      isOver = true
      resolve()
    })
  })
  const since = (from: number): string => all.slice(marks.get(from) ?? 0)
  const until = (fits: () => boolean, what: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const end = (deed: () => void) => {
        clearTimeout(timer)
        looks.delete(look)
        deed()
      }
      const fail = () => end(() => reject(new Error(`waited for ${what} in vain: ${legible(all).slice(-400)}`)))
      const look = (at: number) => {
        if (fits()) end(() => resolve(at))
      }
      const timer = setTimeout(fail, patience)
      looks.add(look)
      void over.then(fail)
      look(last)
    })
  return {
    pid: child.pid,
    started,
    bytes: () => bytes,
    since,
    seen: (what, from = 0) =>
      until(() => {
        const text = legible(since(from))
        return typeof what === "string" ? text.includes(what) : what.test(text)
      }, String(what)),
    type: (text) => child.write(text),
    key: async () => {
      const letter = String.fromCodePoint(firstKey + (typed++ % keys))
      const [at, from] = [now(), bytes]
      child.write(letter)
      return (await until(() => since(from).includes(letter), letter)) - at
    },
    resize: (to) => child.resize(to.columns, to.rows),
    quiet: async (ms) => {
      while (now() - last < ms) await wait(Math.max(1, ms - (now() - last)))
    },
    kill: async () => {
      if (!isOver) child.kill("SIGKILL")
      await over
    }
  }
}
