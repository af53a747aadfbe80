/**
 * The processes above this one, as the system tells of them.
 *
 * Linux: /proc. macOS: one call of ps, which shows no environment of programs of the system. Windows: none, so that what a
 * process has in its own environment is all that is known. What cannot be read is left out.
 */
import * as TaskMark from "@belay/tool-executor/unstable/task-mark"
import { readFileSync } from "node:fs"

export interface Kin {
  readonly pid: number
  readonly parent: number
  /** The processes that lead its group and its session; where sessions cannot be told, the group twice. */
  readonly group: number
  readonly session: number
  readonly hasTerminal: boolean
  /** ms since 1970 */
  readonly startedAt: number
  /** It carries the mark of a task. */
  readonly isMarked: boolean
  readonly argv: ReadonlyArray<string>
}

/** The process of this number; nothing when there is none. */
export type Look = (pid: number) => Kin | undefined

const text = (file: string): string => {
  try {
    return readFileSync(file, "latin1")
  } catch {
    return ""
  }
}

const hasMark = (environment: ReadonlyArray<string>): boolean =>
  environment.some((entry) => entry.startsWith(`${TaskMark.variable}=`) && entry.length > TaskMark.variable.length + 1)

/** Of the kernel's clock, in which /proc counts: USER_HZ is 100 on every Linux that Node runs on. */
const tick = 10

const bootedAt = (): number => Number(/^btime (\d+)$/m.exec(text("/proc/stat"))?.[1] ?? 0) * 1000

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const onLinux: Look = (pid) => {
  const stat = text(`/proc/${pid}/stat`)
  // The name may hold anything, and is in the last parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [, parent, group, session, terminal] = fields.map(Number)
  const ticks = Number(fields[19])
  if (parent === undefined || group === undefined || session === undefined || Number.isNaN(ticks)) return undefined
  return {
    pid,
    parent,
    group,
    session,
    hasTerminal: terminal !== 0,
    startedAt: bootedAt() + ticks * tick,
    isMarked: hasMark(text(`/proc/${pid}/environ`).split("\0")),
    argv: text(`/proc/${pid}/cmdline`).split("\0").slice(0, -1)
  }
}

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d+)\s(.*)$/

/** What `ps -Awww -E -o pid=,ppid=,pgid=,tty=,lstart=,command=` of macOS prints. */
export const fromPs = (said: string): Look => {
  const all = new Map<number, Kin>()
  for (const line of said.split("\n")) {
    const [, pid, parent, group, terminal, began = "", command = ""] = psLine.exec(line) ?? []
    if (pid === undefined) continue
    const argv = command.split(" ")
    all.set(Number(pid), {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
      hasTerminal: terminal !== "??",
      startedAt: new Date(began).getTime(),
      isMarked: hasMark(argv),
      argv
    })
  }
  return (pid) => all.get(pid)
}

const onMac = (): Look => {
  try {
    const args = ["-Awww", "-E", "-o", "pid=,ppid=,pgid=,tty=,lstart=,command="]
    const { execFileSync } = process.getBuiltinModule("node:child_process")
    return fromPs(execFileSync("/bin/ps", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }))
  } catch {
    return () => undefined
  }
}

/** How this system tells of processes. */
export const look = (): Look =>
  process.platform === "linux" ? onLinux : process.platform === "darwin" ? onMac() : () => undefined

const mostAbove = 1000

/** This process and those above it, up to the first of all. */
export const above = (pid: number, find: Look): ReadonlyArray<Kin> => {
  const line: Array<Kin> = []
  for (
    let at = find(pid);
    at !== undefined && line.length < mostAbove;
    at = at.parent === 0 ? undefined : find(at.parent)
  ) {
    line.push(at)
  }
  return line
}
