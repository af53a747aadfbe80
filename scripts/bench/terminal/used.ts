/** What a process has used, with all that it has started: as Linux tells it. */
import { readdirSync, readFileSync } from "node:fs"

/** Undefined where it is gone. */
const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const isKnown = process.platform === "linux"

const parents = (): ReadonlyArray<readonly [pid: number, parent: number]> =>
  readdirSync("/proc").flatMap((name) => {
    const stat = /^\d+$/u.test(name) ? read(`/proc/${name}/stat`) : undefined
    return stat === undefined ? [] : [[Number(name), Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2])] as const]
  })

const tree = (root: number): ReadonlyArray<number> => {
  const all = parents()
  const below = (pid: number): ReadonlyArray<number> => [
    pid,
    ...all.flatMap(([child, parent]) => (parent === pid ? below(child) : []))
  ]
  return below(root)
}

const processorOf = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => Number((read(`/proc/${pid}/task/${thread}/schedstat`) ?? "0").split(" ")[0]) / 1e6)
      .reduce((sum, ms) => sum + ms, 0)
  } catch {
    return 0
  }
}

/** Ms of processor time of the threads that are there; of what has ended it tells nothing. */
export const processor = (root: number): number =>
  isKnown ? tree(root).reduce((sum, pid) => sum + processorOf(pid), 0) : Number.NaN

/** Resident memory in MB. */
export const memory = (root: number): number =>
  isKnown
    ? tree(root)
        .map((pid) => Number(/VmRSS:\s+(\d+)/u.exec(read(`/proc/${pid}/status`) ?? "")?.[1] ?? 0) / 1024)
        .reduce((sum, mb) => sum + mb, 0)
    : Number.NaN
