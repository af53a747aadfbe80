/**
 * Where the files lead that a command names, as the shell would open them in the folder of the command.
 *
 * Guarantees: those of `PathResolver`; a pattern becomes the names that match it now, at most 1,000 of them in all, and
 * itself when nothing matches, as in bash. A target that cannot be told has no facts. A folder that is taken as a whole
 * says what lies in it.
 */
import type { CommandReading, PathFact } from "@belay/approval-policy"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Looked from "../../tool/Looked.ts"
import * as BelayIgnore from "../paths/BelayIgnore.ts"
import * as PathResolver from "../paths/PathResolver.ts"
import * as WholeFolder from "../paths/WholeFolder.ts"

const most = 1000
const special = /(?<!\\)[*?]/

/** Git Bash writes `/c/x` for `C:\x`. */
const native = (file: string): string =>
  path.sep === "\\" ? file.replace(/^\/([A-Za-z])(?=\/|$)/, (_, drive: string) => `${drive}:`) : file

const escaped = (text: string): string => text.replace(/[\\^$.|+()[\]{}]/g, "\\$&")

/** `*` and `?` of one component; a backslash makes the next character plain. */
const matcher = (component: string): RegExp => {
  const source = component.replace(/\\(.)|([*?])|([^\\*?])/gsu, (_, plain?: string, glob?: string, other?: string) =>
    glob === "*" ? ".*" : glob === "?" ? "." : escaped(plain ?? other ?? "")
  )
  return new RegExp(`^${source}$`, "su")
}

const unescape = (text: string): string => text.replace(/\\(.)/gs, "$1")

const names = (folder: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** The paths that a pattern matches in `folder`; undefined when there are too many to look at. */
const expand = (pattern: string, folder: string): ReadonlyArray<string> | undefined => {
  let found: ReadonlyArray<string> = [pattern.startsWith("/") ? "/" : ""]
  for (const component of pattern.split("/").filter((part) => part !== "")) {
    const matches = matcher(component)
    found = found.flatMap((base) => {
      const prefix = base === "" || base.endsWith("/") ? base : `${base}/`
      if (!special.test(component)) return [prefix + unescape(component)]
      const own = path.isAbsolute(prefix) ? prefix : path.join(folder, prefix)
      const dots = component.startsWith(".")
      return names(own)
        .filter((name) => (dots || !name.startsWith(".")) && matches.test(name))
        .map((name) => prefix + name)
    })
    if (found.length > most) return undefined
  }
  return found
}

export interface Place {
  readonly workspace: string
  readonly home: string
  /** Absolute and resolved. */
  readonly folder: string
  /** The folder of our own data. */
  readonly data?: string
  readonly looked?: Looked.Looked
}

export const resolve = (
  targets: CommandReading.CommandReading["targets"],
  place: Place
): ReadonlyArray<ReadonlyArray<PathFact.PathFact>> => {
  let left = most
  const { data, folder, home, workspace } = place
  const looked = place.looked ?? Looked.make()
  const below = (file: string, { below: asked, role }: CommandReading.Target): PathFact.Below | undefined =>
    asked === undefined
      ? undefined
      : looked.once(["below", file, role, asked, workspace, home, data], () =>
          WholeFolder.look(file, role, asked, place)
        )
  const holdsLeftOut = (file: string): boolean =>
    looked.once(["leftOut", file, workspace], () => BelayIgnore.holdsLeftOut(workspace, file))
  const factOf = (given: string, target: CommandReading.Target): PathFact.PathFact => {
    const { glob, role } = target
    const file = native(given)
    const absolute = path.isAbsolute(file) ? file : `${folder}${path.sep}${file}`
    const access = role === "read" || role === "mention" || role === "program" ? "read" : "write"
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
    const matched = glob ? looked.once(["matched", given, folder], () => expand(given, folder)) : [given]
    if (matched === undefined || matched.length > left) return []
    left -= matched.length
    return (matched.length === 0 ? [unescape(given)] : matched).map((file) => factOf(file, target))
  })
}
