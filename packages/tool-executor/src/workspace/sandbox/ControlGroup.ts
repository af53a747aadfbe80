/**
 * One limit of memory and of processes for all of a confined command together, where this process may set one: in a
 * control group beside or below its own. https://docs.kernel.org/admin-guide/cgroup-v2.html
 *
 * Guarantees: three quarters of the machine's memory and 4,096 processes, or nothing at all. Version 2 wants a folder of
 * groups that belongs to the user and hands out both controllers, as systemd makes one for programs of a desktop; version
 * 1 wants root.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const root = "/sys/fs/cgroup"
const mostProcesses = 4096
const mostMemory = (): number => Math.floor((os.totalmem() * 3) / 4 / 4096) * 4096

/** A folder in which groups are made, and the files of limits with their values. */
interface Place {
  readonly folder: string
  readonly limits: ReadonlyArray<readonly [file: string, value: number]>
}

const lines = (file: string): ReadonlyArray<string> => {
  try {
    return fs.readFileSync(file, "utf8").trim().split("\n")
  } catch {
    return []
  }
}

const mayWrite = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** This process's own group of a controller; version 2 has one for all, without a name. */
const ownGroup = (controller: string): string | undefined =>
  lines("/proc/self/cgroup")
    .map((line) => line.split(":"))
    .find(([, names = ""]) => names.split(",").includes(controller))
    ?.slice(2)
    .join(":")

const unified = (): ReadonlyArray<Place> => {
  const own = ownGroup("")
  if (own === undefined || !fs.existsSync(path.join(root, "cgroup.controllers"))) return []
  const folder = path.dirname(path.join(root, own))
  const controllers = lines(path.join(folder, "cgroup.subtree_control")).join(" ").split(" ")
  const isOurs = folder.startsWith(root) && mayWrite(folder) && mayWrite(path.join(folder, "cgroup.procs"))
  if (!isOurs || !["memory", "pids"].every((name) => controllers.includes(name))) return []
  const limits = [["memory.max", mostMemory()] as const, ["pids.max", mostProcesses] as const]
  return [{ folder, limits }]
}

const separate = (): ReadonlyArray<Place> => {
  const limits = [
    ["memory", "memory.limit_in_bytes", mostMemory()],
    ["pids", "pids.max", mostProcesses]
  ] as const
  const places = limits.map(([controller, file, value]): Place => {
    const folder = path.join(root, controller, ownGroup(controller) ?? "none")
    return { folder, limits: [[file, value]] }
  })
  return places.every(({ folder }) => mayWrite(folder)) ? places : []
}

const places = (): ReadonlyArray<Place> => {
  if (process.platform !== "linux") return []
  const found = unified()
  return found.length > 0 ? found : separate()
}

/** The folders of a command's groups, which are not there yet; none where it gets no limit. */
export const named = (id: string): ReadonlyArray<string> => places().map(({ folder }) => path.join(folder, id))

const isBusy = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "EBUSY"
const mostTries = 100
const nobodyWakes = new Int32Array(new SharedArrayBuffer(4))

/** Removes groups whose last process ends now, or has ended. Waits a tenth of a second at most for each. */
export const remove = (folders: ReadonlyArray<string>): void => {
  for (const folder of folders) {
    for (let left = mostTries; left > 0; left--) {
      try {
        fs.rmdirSync(folder)
      } catch (cause) {
        // Else it is gone, or was never made.
        if (isBusy(cause)) {
          Atomics.wait(nobodyWakes, 0, 0, 1)
          continue
        }
      }
      break
    }
  }
}

/** False: there is no limit, and nothing was made. */
const limit = (folders: ReadonlyArray<string>): boolean => {
  try {
    for (const [index, { limits }] of places().entries()) {
      const folder = folders[index] ?? ""
      fs.mkdirSync(folder)
      for (const [file, value] of limits) fs.writeFileSync(path.join(folder, file), String(value))
    }
    return true
  } catch {
    remove(folders)
    return false
  }
}

const join = `until [ "$1" = -- ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"`

interface Started {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** The program as a member of these groups, from before it starts; as it is where they cannot be made. */
export const within = (folders: ReadonlyArray<string>, { args, program }: Started): Started =>
  folders.length > 0 && limit(folders)
    ? { program: "/bin/sh", args: ["-c", join, "belay-box", ...folders, "--", program, ...args] }
    : { program, args }
