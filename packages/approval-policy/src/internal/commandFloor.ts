/**
 * The hard floor for commands, the rules whose names begin with `floor`: what always asks, whatever the settings and whatever is listed.
 *
 * It judges what the grammar found, and asks where a removal or a write has no known target. What a program does inside
 * itself (a script file, code of an interpreter) is not seen here; the sandbox is what stands behind it.
 */
import type { CommandFact } from "../CommandFact.ts"
import type { Action, Target } from "../CommandReading.ts"
import { ask, type Verdict } from "../Decision.ts"
import type { PathFact } from "../PathFact.ts"
import * as ProtectedPath from "../ProtectedPath.ts"
import { factsOf, isGuess } from "./commandFacts.ts"
import { dashed } from "./commandFlags.ts"
import { unknown } from "./commandOrder.ts"
import { quote } from "./quote.ts"

export const harmless = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/

const changes = (target: Target): boolean =>
  target.role === "write" || target.role === "tree" || target.role === "entry" || target.role === "output"

/** Strictly inside: to change the root of the workspace as a whole is to change what lies outside of it. */
const leaves = (fact: PathFact, target: Target): boolean =>
  !fact.inside || (target.role === "tree" && fact.relative === "")

const outside = (program: string, shown: string, instead = ""): Verdict =>
  ask("floor.outside", `${quote(program)} may change ${shown}, which may lie outside the workspace.${instead}`)

/** A file that is written can have any place. */
const insteadOf = ({ role }: Target, { kind }: PathFact): string =>
  (role === "write" || role === "output") && (kind === "file" || kind === "absent")
    ? " Write to a path in the workspace instead."
    : ""

/** Adding to a folder is no change of the folder itself. */
const adds = /^(?:cp|mv|install|ln|mkdir|git)$/

const transfers = /^(?:cp|mv|install|ln)$/

/** Folders that are no protected name themselves, but hold one as soon as a whole folder takes their place. */
const filled = (folder: string): ProtectedPath.Match | undefined =>
  /\/\.github$/i.test(folder)
    ? ProtectedPath.match(`${folder}/workflows`, "write")
    : /\/node_modules$/i.test(folder)
      ? ProtectedPath.match(`${folder}/.bin`, "write")
      : undefined

const changed = (
  action: Action,
  target: Target,
  facts: ReadonlyArray<PathFact>,
  roots: ProtectedPath.Roots
): ReadonlyArray<Verdict> => {
  const program = target.redirected ? "a redirection" : (action.argv[0] ?? "the command")
  if (target.path !== null && harmless.test(target.path)) return []
  if (target.role === "output" && facts.length > 0 && facts.every(({ failure }) => failure !== undefined)) return []
  if (target.role === "entry" && facts.every(({ failure }) => failure !== undefined)) return []
  if (target.path === null || facts.length === 0)
    return [outside(program, target.path === null ? "files that the command does not name" : quote(target.path))]
  return facts.flatMap((fact) => {
    const fills = transfers.test(program.split("/").at(-1) ?? "")
    const found =
      ProtectedPath.matchFact({ ...fact, access: "write" }, roots) ?? (fills ? filled(fact.resolved) : undefined)
    if (found !== undefined) return [ask(found.rule, found.reason)]
    const root =
      fact.inside && fact.relative === "" && adds.test(program.split("/").at(-1) ?? "") && fact.kind === "directory"
    return leaves(fact, target) && !root ? [outside(program, quote(fact.resolved), insteadOf(target, fact))] : []
  })
}

const hidden = /(?:^|\/)\.[^/]*[*?]/

/** How programs read their environment, which is no file. */
const environment = /^(?:process|import\.meta|Deno|Bun)\.env$/

const words = (path: string): ReadonlyArray<string> =>
  [path, ...path.split(/[\s=:,;@'"`()[\]{}<>|&]+/)].filter((text) => !environment.test(text))

const secret = (target: Target, facts: ReadonlyArray<PathFact>, roots: ProtectedPath.Roots): ReadonlyArray<Verdict> => {
  const { path } = target
  if (path === null || target.role === "program") return []
  const texts = isGuess(target) ? words(path) : [path]
  const found =
    texts.map((text) => ProtectedPath.match(text, "read", roots)).find((match) => match?.rule === "path.secret") ??
    facts
      .map((fact) => ProtectedPath.matchFact({ ...fact, access: "read" }, roots))
      .find((match) => match?.rule === "path.secret")
  if (found !== undefined) return [ask(found.rule, found.reason)]
  return target.glob && hidden.test(path)
    ? [ask("path.secret", `${quote(path)} may match files that hold secrets.`)]
    : []
}

const flagged = (action: Action): ReadonlyArray<Verdict> =>
  action.floors.flatMap((floor) => {
    switch (floor) {
      case "belay":
        return [ask("floor.belay", "The command runs belay, which can answer for you and change what may run.")]
      case "disk":
        return [ask("floor.disk", "The command may overwrite a device or a file as a whole.")]
      case "history":
        return [ask("floor.history", "The push may destroy history on the remote side.")]
      case "keys":
        return [
          ask(
            "floor.outside",
            `${quote(action.argv[0] ?? "")} may start a program that signs or checks signatures, which writes to the home folder.`
          )
        ]
      case "foreign":
        return [ask("command.unreadable", "What cmd and PowerShell make of a text cannot be told.")]
      case "removal":
        return [
          ask(
            "floor.outside",
            `${quote(action.argv[0] ?? "")} may remove or overwrite files that its text does not name.`
          )
        ]
      case "unpacking":
      case "remote":
        return []
    }
  })

const deletes = /^(?:rm|rmdir|rimraf|trash|trash-put|srm|shred|del|unlink)$/

/** The root of the workspace itself is to be deleted. */
const whole = (action: Action, target: Target, facts: ReadonlyArray<PathFact>): ReadonlyArray<Verdict> =>
  changes(target) &&
  deletes.test(action.argv[0]?.split("/").at(-1) ?? "") &&
  facts.some(({ inside, relative }) => inside && relative === "")
    ? [ask("floor.outside", `${quote(action.argv.join(" "))} would delete the whole workspace.`)]
    : []

/** Files outside that are given to a program which may write what it is given. */
const strayed = (action: Action, target: Target, facts: ReadonlyArray<PathFact>): ReadonlyArray<Verdict> =>
  action.takes === true && target.role === "mention" && !harmless.test(target.path ?? "")
    ? facts
        .filter(({ failure, inside }) => !inside && failure === undefined)
        .map(({ resolved }) => outside(action.argv[0] ?? "the command", quote(resolved)))
    : []

/** What lies in a folder that is taken as a whole. */
const below = (action: Action, target: Target, facts: ReadonlyArray<PathFact>): ReadonlyArray<Verdict> => {
  if (target.below === undefined) return []
  const program = quote(action.argv[0] ?? "the command")
  return facts.flatMap(({ below: found, given }) => {
    const name = found?.secret ?? (changes(target) ? (found?.protected ?? found?.outside) : undefined)
    if (name === undefined) return []
    const shown = quote(`${given.replace(/\/+$/, "")}/${name}`)
    if (found?.secret !== undefined)
      return [ask("path.secret", `${shown} may hold secrets, and ${program} takes all of ${quote(given)}.`)]
    return found?.protected !== undefined
      ? [ask("path.protected", `${shown} is protected, and ${program} takes all of ${quote(given)}.`)]
      : [outside(action.argv[0] ?? "the command", shown)]
  })
}

/** Files that a pattern means appear under their own names where they are copied to. */
const copied = (command: CommandFact, action: Action, roots: ProtectedPath.Roots): ReadonlyArray<Verdict> => {
  if (!transfers.test(action.argv[0]?.split("/").at(-1) ?? "")) return []
  const named = action.targets.flatMap((index) => {
    const target = command.reading.targets[index]
    return target === undefined ? [] : [{ target, facts: factsOf(command, index) }]
  })
  const sources = named.filter(({ target }) => target.glob && (target.role === "read" || target.role === "tree"))
  const goals = named.filter(({ target }) => target.role === "tree" && !target.glob).flatMap(({ facts }) => facts)
  return sources
    .flatMap(({ facts }) => facts)
    .flatMap(({ displayed }) => {
      const name = displayed.split(/[\\/]/).at(-1) ?? ""
      const found = [name, ...goals.map(({ resolved }) => `${resolved}/${name}`)]
        .map((path) => ProtectedPath.match(path, "write", roots))
        .find((match) => match !== undefined)
      return found === undefined ? [] : [ask(found.rule, found.reason)]
    })
}

/** A file that is changed where an earlier program may have let its path lead elsewhere. */
const moved = (command: CommandFact): ReadonlyArray<Verdict> =>
  unknown(command, () => true).flatMap(({ fact, program, target }) =>
    changes(target) && target.role !== "output"
      ? [ask("floor.outside", `${quote(fact.given)} may lead out of the workspace once ${quote(program)} has run.`)]
      : []
  )

/** Everything of the floor that the command touches; empty when nothing was found. */
export const floor = (command: CommandFact, roots: ProtectedPath.Roots): ReadonlyArray<Verdict> => [
  ...command.reading.actions.flatMap((action) => [
    ...flagged(action),
    ...copied(command, action, roots),
    ...action.targets.flatMap((index) => {
      const target = command.reading.targets[index]
      const facts = factsOf(command, index)
      if (target === undefined) return []
      return [
        ...whole(action, target, facts),
        ...secret(target, facts, roots),
        ...below(action, target, facts),
        ...strayed(action, target, facts),
        ...(changes(target) ? changed(action, target, facts, roots) : [])
      ]
    })
  ]),
  ...moved(command),
  ...dashed(command).map(([name, program]) =>
    ask(
      "floor.outside",
      `${quote(name)} of ${quote(program)} may be taken for a flag, which may change files outside the workspace.`
    )
  )
]

const programText = /^[A-Za-z0-9_./@%+:[\]-]+$/

/** Programs whose name is not known or hides what it is. An exact entry of the user answers this doubt, and only this. */
export const opaque = ({ reading }: CommandFact): ReadonlyArray<Verdict> =>
  reading.actions.flatMap(({ argv }) => {
    const name = argv[0]
    if (argv.length === 0 || (name !== null && name !== undefined && programText.test(name))) return []
    const shown = typeof name === "string" ? ` ${quote(name)}` : ""
    return [ask("command.opaque", `Which program${shown} the command runs cannot be told.`, ["task", "always"])]
  })

/** Programs that make files which their text does not name. Only a yes to the very text stands for what they make. */
export const unpacked = ({ reading }: CommandFact): ReadonlyArray<Verdict> =>
  reading.actions.flatMap(({ argv, floors }) =>
    floors.includes("unpacking")
      ? [
          ask(
            "command.unpacks",
            `${quote(argv[0] ?? "")} makes files that its text does not name, and protected ones may be among them.`,
            ["task", "always"]
          )
        ]
      : []
  )

export const isRemote = ({ reading }: CommandFact): boolean =>
  reading.actions.some(({ floors }) => floors.includes("remote"))
