/**
 * Whether a process belongs to a task: told by its mark, by what is above it, and by where it was cut off.
 *
 * Pure. A process of a task can clear its environment, lead a session of its own and outlive its parents; what it cannot
 * change is what started it, while that lives, and when itself was started. Not told: a process that was cut off and then
 * let another one be started later in its place, or that opened a terminal of its own.
 */
import type { Kin, Look } from "./Kin.ts"

/** What the history knows: the processes that run tasks, and when their calls ran; ms since 1970, open at the end when they still run. */
export interface Known {
  readonly owners: ReadonlyArray<{ readonly pid: number; readonly since: number }>
  readonly calls: ReadonlyArray<readonly [from: number, to: number]>
}

/** Node, wherever it lies, with nothing behind it but its options. */
const isNode = (words: ReadonlyArray<string>): boolean =>
  /^(?:[^ ]*[\\/]|[\\/].*[\\/])?[^\\/ ]*node[^\\/ ]*(?: -.*)?$/i.test(words.join(" "))

/**
 * Runs a task in itself, so that everything below it is of that task; one that detaches a run starts another process for it.
 * What starts `belay run` as another program does, such as `timeout 60 belay run` or `node yarn.js belay run`, is above the
 * run and not of it.
 */
const runs = ({ argv }: Kin): boolean => {
  const at = argv.findIndex((word) => /(?:^|[\\/])belay(?:\.[cm]?[jt]s)?$/.test(word))
  if (at > 0 && !isNode(argv.slice(0, at))) return false
  const words = at < 0 ? [] : argv.slice(at + 1)
  const [first = "", second = ""] = words
  const end = words.indexOf("--")
  if (words.slice(0, end < 0 ? undefined : end).includes("--detach")) return false
  return first === "run" || first === "runner" || (first === "task" && /^(?:resume|continue|fork)$/.test(second))
}

/** Processes to which the system gives those whose parents have ended. */
const adopters = /^(?:init|systemd|launchd|tini|dumb-init|docker-init|catatonit|s6-svscan|runit|openrc-init)$/

const adopts = ({ argv, pid }: Kin): boolean => pid === 1 || adopters.test(argv[0]?.split("/").at(-1) ?? "")

/** The clocks of the system and of the history differ by less. */
const slack = 1000

/** The last of those above that was not always below the first process, and leads a session of its own. */
const cutOff = (line: ReadonlyArray<Kin>): Kin | undefined => {
  const at = line.findIndex((kin, index) => {
    const parent = line[index + 1]
    return parent !== undefined && adopts(parent) && kin.session !== parent.session
  })
  return at < 0 ? undefined : line[at]
}

/** Of a line of processes, itself first. */
export const isMarked = (line: ReadonlyArray<Kin>, find: Look): boolean =>
  line.some(
    (kin, index) =>
      kin.isMarked ||
      (index > 0 && runs(kin)) ||
      [kin.group, kin.session].some((leader) => leader > 0 && find(leader)?.isMarked === true)
  )

/** The same by what the history knows, for a line without a mark. */
export const isKnown = (line: ReadonlyArray<Kin>, { calls, owners }: Known): boolean => {
  const [self] = line
  // What a task runs is started as the leader of a group of its own, by the process that runs the task. One that is
  // younger than its row has the number of one that is gone.
  const isOwner = (kin: Kin | undefined): boolean =>
    owners.some(({ pid, since }) => kin?.pid === pid && kin.startedAt <= since + slack)
  if (line.some((kin, index) => kin.group === kin.pid && isOwner(line[index + 1]))) return true
  const cut = self?.hasTerminal === true ? undefined : cutOff(line)
  return cut !== undefined && calls.some(([from, to]) => cut.startedAt >= from - slack && cut.startedAt <= to + slack)
}
