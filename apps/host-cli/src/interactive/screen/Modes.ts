/**
 * The modes of a terminal while the interface is there, and how they are undone, also those of an interface that was
 * killed: each leaves a note of what it turned on, which the next one in the same terminal finds.
 */
import { ReplaceFile } from "@belay/machine"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import * as path from "node:path"

const escape = "\u001B["

/** What is pasted is told apart from what is typed. */
const pasting = { on: `${escape}?2004h`, off: `${escape}?2004l` }

/** Keys are told apart that have one code: https://sw.kovidgoyal.net/kitty/keyboard-protocol/ */
export const keys = { on: `${escape}>1u`, off: `${escape}<u` }

/** It tells whether the person looks at it. */
const focus = { on: `${escape}?1004h`, off: `${escape}?1004l` }

/** It tells its size among the keys, in the order in which things happen: https://gist.github.com/rockorager/e695fb2924d36b2bcf1fff4a3704bd83 */
const size = { on: `${escape}?2048h`, off: `${escape}?2048l` }

/** What a frame turns off and on, should it have been cut. */
const whole = `${escape}?7h${escape}?25h${escape}?2026l`

export const on = (hasKeys: boolean): string => `${pasting.on}${focus.on}${size.on}${hasKeys ? keys.on : ""}`

export const off = (hasKeys: boolean): string =>
  `${hasKeys ? keys.off : ""}${size.off}${focus.off}${pasting.off}${whole}`

/** Undoes all that an interface may have left, and the style of what it wrote. */
export const reset = (hasKeys: boolean): string => `${off(hasKeys)}${escape}0m`

/** A connection that breaks, or what stands between, would leave the keys told apart for whoever comes next. */
export const isDirect = (env: NodeJS.ProcessEnv): boolean =>
  ["SSH_CONNECTION", "TMUX", "STY", "ZELLIJ"].every((name) => (env[name] ?? "") === "")

/** Nothing stands between that takes away what it does not know. */
const isWhole = (env: NodeJS.ProcessEnv): boolean => ["TMUX", "STY", "ZELLIJ"].every((name) => (env[name] ?? "") === "")

const opening = new Set(["iTerm.app", "WezTerm", "kitty", "ghostty", "vscode", "Hyper", "Tabby"])
const openingTerms = /^(?:xterm-kitty|xterm-ghostty|wezterm|foot|alacritty|contour)/u

/** A terminal that opens an address from where it stands; what stands between takes it away, or shows it. */
export const hasLinks = (env: NodeJS.ProcessEnv): boolean => {
  const { TERM = "", TERM_PROGRAM = "", VTE_VERSION = "", WT_SESSION = "" } = env
  if (!isWhole(env)) return false
  return opening.has(TERM_PROGRAM) || openingTerms.test(TERM) || Number(VTE_VERSION) >= 5000 || WT_SESSION !== ""
}

/** How a terminal lets its desktop tell something; nothing where that is not known. */
export const noticeOf = (env: NodeJS.ProcessEnv): ((text: string) => string) | undefined => {
  const { TERM = "", TERM_PROGRAM = "", VTE_VERSION = "" } = env
  if (!isWhole(env)) return undefined
  if (TERM.startsWith("xterm-kitty")) return (text) => `\u001B]99;;${text}\u0007`
  if (["iTerm.app", "WezTerm", "ghostty"].includes(TERM_PROGRAM)) return (text) => `\u001B]9;${text}\u0007`
  if (/^(?:foot|rxvt)/u.test(TERM) || VTE_VERSION !== "") return (text) => `\u001B]777;notify;Belay;${text}\u0007`
  return undefined
}

const jumping = new Set(["iTerm.app", "WezTerm", "kitty", "ghostty", "vscode"])

/** A terminal that jumps from one prompt to the next. */
export const hasMarks = (env: NodeJS.ProcessEnv): boolean =>
  isDirect(env) && (jumping.has(env["TERM_PROGRAM"] ?? "") || (env["WT_SESSION"] ?? "") !== "")

/** All but those that take it in pieces alone, or show it. */
export const hasClipboard = (env: NodeJS.ProcessEnv): boolean => (env["STY"] ?? "") === "" && env["TERM"] !== "linux"

/** The device at stdin. */
const terminal = (): string | undefined => {
  try {
    if (process.platform === "linux") return readlinkSync("/proc/self/fd/0")
    if (process.platform === "win32") return undefined
    return execFileSync("tty", { stdio: [0, "pipe", "ignore"], encoding: "utf8" }).trim()
  } catch {
    return undefined
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

interface Left {
  readonly pid: number
  readonly keys: boolean
}

const read = (file: string): Left | undefined => {
  try {
    const { keys: hasKeys, pid }: Partial<Left> = JSON.parse(readFileSync(file, "utf8"))
    return typeof pid === "number" ? { pid, keys: hasKeys === true } : undefined
  } catch {
    return undefined
  }
}

/** Of one terminal. */
export interface Note {
  /** What undoes what a killed interface has left; empty where there is none, or where another one lives. */
  readonly leftover: string
  /** This process has turned them on. */
  readonly write: (hasKeys: boolean) => void
  /** They are off. */
  readonly remove: () => void
}

/** `home`: the data folder; before there is one nothing is noted. */
export const noteOf = (home: string): Note => {
  const device = terminal()
  const none: Note = { leftover: "", write: () => undefined, remove: () => undefined }
  if (device === undefined || !existsSync(home)) return none
  const name = createHash("sha256").update(device).digest("hex").slice(0, 16)
  const file = path.join(home, "terminal", `${name}.json`)
  const left = read(file)
  const isOthers = left !== undefined && left.pid !== process.pid && isAlive(left.pid)
  // One that is stopped in this terminal keeps its note.
  if (isOthers) return none
  return {
    leftover: left === undefined ? "" : reset(left.keys),
    write: (hasKeys) => {
      try {
        mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
        ReplaceFile.write(file, `${JSON.stringify({ pid: process.pid, keys: hasKeys })}\n`, { mode: 0o600 })
      } catch {
        // Who cannot write here resets by hand: belay reset.
      }
    },
    remove: () => {
      try {
        rmSync(file, { force: true })
      } catch {
        // The next one finds a process that is dead, and resets what is off.
      }
    }
  }
}
