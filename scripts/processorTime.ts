// The processor time of a process and of what it started, where the system tells it: on Linux.
import { readFileSync } from "node:fs"

/** Seconds; `children` is what it waited for, with what these waited for: what ended otherwise is in no sum. */
export interface ProcessorTime {
  readonly own: number
  readonly children: number
}

/** The system counts in ticks of this length, whatever the processor does. */
const ticksPerSecond = 100

/** From the text of `/proc/<pid>/stat`: its second field is a name in parentheses, which may hold anything. */
export function processorTimeOf(stat: string): ProcessorTime {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const seconds = (field: number): number => Number(fields[field - 3]) / ticksPerSecond
  return { own: seconds(14) + seconds(15), children: seconds(16) + seconds(17) }
}

/** Undefined where the system does not tell. */
export function processorTime(pid: number | "self" = "self"): ProcessorTime | undefined {
  if (process.platform !== "linux") return undefined
  try {
    return processorTimeOf(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return undefined
  }
}
