/**
 * A process that can be told from a later one with the same number, also after this process has been killed.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as Schema from "effect/Schema"

export const ProcessMark = Schema.Struct({
  pid: Schema.Int,
  /** When it started, as the system counts; empty where it does not say. */
  start: Schema.String,
  /** The start of the system and the namespace of process numbers. */
  where: Schema.String
})
export type ProcessMark = typeof ProcessMark.Type

const text = (read: () => string): string => {
  try {
    return read().trim()
  } catch {
    return ""
  }
}

/** Field 22 of `/proc/PID/stat`; a process that is dead and not collected has none. */
const startOf = (pid: number): string => {
  if (process.platform !== "linux") {
    return text(() => childProcess.execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }))
  }
  const stat = text(() => fs.readFileSync(`/proc/${pid}/stat`, "latin1"))
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields[0] === "Z" || fields[0] === "X" ? "" : (fields[19] ?? "")
}

const here = (): string =>
  [
    text(() => fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    text(() => fs.readlinkSync("/proc/self/ns/pid"))
  ].join(" ")

export const of = (pid: number): ProcessMark => ({ pid, start: startOf(pid), where: here() })

/** The very process runs. One of another system start or namespace cannot be seen, and counts as gone. */
export const isAlive = ({ pid, start, where }: ProcessMark): boolean =>
  where === here() && start !== "" && startOf(pid) === start
