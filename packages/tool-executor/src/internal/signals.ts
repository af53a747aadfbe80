/** Signals to processes and their groups, and whether they run. */
import { Machine } from "@belay/machine"
import * as fs from "node:fs"

/** Says whether it is there. */
export const signalOne = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, name)
  } catch (cause) {
    // It is there, but is not ours to signal.
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** The group that a process leads. */
export const signal = (pid: number, name: NodeJS.Signals | 0): boolean =>
  signalOne(Machine.isWindows(Machine.host) ? pid : -pid, name)

const statOf = (process: string): string => {
  try {
    return fs.readFileSync(`/proc/${process}/stat`, "latin1")
  } catch {
    return ""
  }
}

/**
 * Some process of the group runs. Linux also counts the dead that nobody has collected, as a container without an init
 * leaves them; they are told apart by their state in /proc.
 */
export const isRunning = (pid: number): boolean => {
  if (!signal(pid, 0)) return false
  if (process.platform !== "linux") return true
  try {
    // pid (name) state parent group ...
    const member = new RegExp(`\\) [^ZX] \\d+ ${pid} `)
    return fs.readdirSync("/proc").some((name) => /^\d+$/.test(name) && member.test(statOf(name)))
  } catch {
    return true
  }
}

/** A process that runs; Linux alone can tell. */
export const isThere = (pid: number): boolean => / [^ZX] /.test(/\)( . )/.exec(statOf(String(pid)))?.[1] ?? "")
