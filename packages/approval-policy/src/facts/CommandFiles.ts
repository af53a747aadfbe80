/**
 * Where the files lead that a command names, as the shell would open them in the folder of the command.
 *
 * Guarantees: those of `PathResolver`; a pattern becomes the names that match it now, at most 1,000 of them in all, and
 * itself when nothing matches, as in bash. A target that cannot be told has no facts. A folder that is taken as a whole
 * says what lies in it. On Windows a path is one of Git Bash: `/c/x` is `C:\x`, and what else begins at its root lies where
 * only Git Bash knows, so it cannot be told.
 */
import type * as CommandReading from "../CommandReading.ts"
import type * as PathFact from "../PathFact.ts"
import { Machine } from "@belay/machine"
import * as Looked from "./Looked.ts"
import * as BelayIgnore from "./BelayIgnore.ts"
import * as PathResolver from "./PathResolver.ts"
import * as WholeFolder from "./WholeFolder.ts"

const most = 1000
const special = /(?<!\\)[*?]/

/** The shell's own, wherever its root lies. */
const devices = /^\/dev\/(?:null|stdin|stdout|stderr|tty)$/

/** Git Bash writes `/c/x` for `C:\x`; what else is below its root (`/tmp`, `/usr`) is no place that Windows knows. */
const native = (file: string, machine: Machine.Machine): string | undefined => {
  if (!Machine.isWindows(machine) || !file.startsWith("/") || file.startsWith("//") || devices.test(file)) return file
  const drive = /^\/([A-Za-z])(?=\/|$)/.exec(file)?.[1]
  return drive === undefined ? undefined : `${drive}:${file.slice(2) || "/"}`
}

const escaped = (text: string): string => text.replace(/[\\^$.|+()[\]{}]/g, "\\$&")

/** `*` and `?` of one component; a backslash makes the next character plain. */
const matcher = (component: string): RegExp => {
  const source = component.replace(/\\(.)|([*?])|([^\\*?])/gsu, (_, plain?: string, glob?: string, other?: string) =>
    glob === "*" ? ".*" : glob === "?" ? "." : escaped(plain ?? other ?? "")
  )
  return new RegExp(`^${source}$`, "su")
}

const unescape = (text: string): string => text.replace(/\\(.)/gs, "$1")

const names = (folder: string, place: Place): ReadonlyArray<string> => {
  const { machine = Machine.host } = place
  try {
    // Not to be opened before anybody was asked: a link may lead to another machine.
    const { failure, resolved } = PathResolver.resolve(folder, { ...place, access: "read" })
    return failure === undefined ? machine.fs.readdirSync(resolved) : []
  } catch {
    return []
  }
}

/** The paths that a pattern matches in `folder`; undefined when there are too many to look at. */
const expand = (pattern: string, place: Place): ReadonlyArray<string> | undefined => {
  const { folder, machine = Machine.host } = place
  const { path } = machine
  const windows = Machine.isWindows(machine)
  // Another machine's share has no names here.
  if (windows && /^(?:\/\/|\\\\)/.test(pattern)) return []
  let found: ReadonlyArray<string> = [pattern.startsWith("/") ? "/" : ""]
  for (const component of pattern.split("/").filter((part) => part !== "")) {
    const matches = matcher(component)
    found = found.flatMap((base) => {
      const prefix = base === "" || base.endsWith("/") ? base : `${base}/`
      if (!special.test(component)) return [prefix + unescape(component)]
      const meant = native(prefix, machine)
      if (meant === undefined) return []
      const own = path.isAbsolute(meant) ? meant : path.join(folder, meant)
      const dots = component.startsWith(".")
      return names(own, place)
        .filter((name) => (dots || !name.startsWith(".")) && matches.test(name))
        .map((name) => prefix + name)
    })
    if (found.length > most) return undefined
  }
  return found
}

/** Says from where the names of a command are looked up. */
export interface Place {
  readonly workspace: string
  readonly home: string
  /** Absolute and resolved. */
  readonly folder: string
  /** The folder of our own data. */
  readonly data?: string
  readonly looked?: Looked.Looked
  readonly machine?: Machine.Machine
}

/** Gives the facts of each target, in the order of the targets: none where it cannot be told what one means. */
export const resolve = (
  targets: CommandReading.CommandReading["targets"],
  place: Place
): ReadonlyArray<ReadonlyArray<PathFact.PathFact>> => {
  let left = most
  const { data, folder, home, machine = Machine.host, workspace } = place
  const { path } = machine
  const looked = place.looked ?? Looked.make()
  const below = (file: string, { below: asked, role }: CommandReading.Target): PathFact.Below | undefined =>
    asked === undefined
      ? undefined
      : looked.once(["below", file, role, asked, workspace, home, data], () =>
          WholeFolder.look(file, role, asked, place)
        )
  const holdsLeftOut = (file: string): boolean =>
    looked.once(["leftOut", file, workspace], () => BelayIgnore.holdsLeftOut(workspace, file, machine))
  const factOf = (given: string, target: CommandReading.Target): PathFact.PathFact | undefined => {
    const { glob, role } = target
    const access = role === "read" || role === "mention" || role === "program" ? "read" : "write"
    const file = native(given, machine)
    if (file === undefined) return undefined
    const absolute = path.isAbsolute(file) ? file : `${folder}${path.sep}${file}`
    const fact: PathFact.PathFact = {
      ...PathResolver.resolve(absolute, { ...place, access }),
      given,
      ...(glob ? { matched: true as const } : {})
    }
    // What changes a folder outside asks by that alone: a home folder is not walked for it.
    if (fact.kind !== "directory" || (access === "write" && !fact.inside)) return fact
    const found = below(fact.resolved, target)
    const whole = found === undefined ? fact : { ...fact, below: found }
    const isWalked = role === "read" && fact.ignored === undefined
    return isWalked && holdsLeftOut(fact.resolved) ? { ...whole, ignored: "below" } : whole
  }
  return targets.map((target) => {
    const { glob, path: given } = target
    if (given === null) return []
    const matched = glob ? looked.once(["matched", given, folder], () => expand(given, place)) : [given]
    if (matched === undefined || matched.length > left) return []
    left -= matched.length
    const facts = (matched.length === 0 ? [unescape(given)] : matched).map((file) => factOf(file, target))
    return facts.includes(undefined) ? [] : facts.filter((fact) => fact !== undefined)
  })
}
