/**
 * Whose the terminal is at this moment: a shell gives it to the jobs of one group, and to itself while they are stopped or
 * go on in the background.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

interface Groups {
  readonly own: number
  readonly session: number
  readonly foreground: number
}

/** Of Linux: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const ofLinux = (): Groups => {
  const text = readFileSync("/proc/self/stat", "utf8")
  // The name of the program, in brackets, may hold anything.
  const [, , own, session, , foreground] = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return { own: Number(own), session: Number(session), foreground: Number(foreground) }
}

const ofOthers = (): Groups => {
  const all = execFileSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], { encoding: "utf8" })
  const [own, foreground] = all.trim().split(/\s+/u).map(Number)
  return { own: own ?? 0, session: 0, foreground: foreground ?? 0 }
}

const groups = (): Groups | undefined => {
  if (process.platform === "win32") return undefined
  try {
    return process.platform === "linux" ? ofLinux() : ofOthers()
  } catch {
    return undefined
  }
}

/** How often it is worth looking, in ms: elsewhere than on Linux a program tells it. */
export const lookEvery = (): number => (process.platform === "linux" ? 200 : 1000)

/** What is written now stands where this process stands; also where it cannot be known. */
export const isInForeground = (): boolean => {
  const all = groups()
  return all === undefined || all.own === all.foreground
}

/** There is a shell that could let this process go on; where none is, nothing would. */
export const canSuspend = (): boolean => {
  const all = groups()
  return all !== undefined && all.own !== all.session
}

/** Stops this process with its group, as a shell knows it, until the shell lets it go on. */
export const suspend = (): void => {
  process.kill(0, "SIGSTOP")
}
