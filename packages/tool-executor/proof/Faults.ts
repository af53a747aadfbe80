/**
 * Deliberate faults of the model of paths: each makes of what the policy decides on what a model without one of its rules
 * would have made of it, and the oracle has to notice what is allowed then.
 */
import type { CommandFact, CommandReading, PathFact, PolicyInput } from "@belay/approval-policy"
import * as fs from "node:fs"
import * as path from "node:path"

type Input = PolicyInput.PolicyInput
type Target = CommandReading.Target
type Action = CommandReading.Action
type Facts = ReadonlyArray<PathFact.PathFact>

export interface Fault {
  readonly name: string
  /** All of them have to be allowed. The same input where the fault changes nothing. */
  readonly inputs: (input: Input) => ReadonlyArray<Input>
}

const withCommand = (input: Input, command: CommandFact.CommandFact): Input => ({
  ...input,
  facts: { ...input.facts, command }
})

/** Another fact list for some targets, by target and the facts it has. */
const facts = (name: string, change: (target: Target, facts: Facts, input: Input) => Facts): Fault => ({
  name,
  inputs: (input) => {
    const { command } = input.facts
    if (command === undefined) return [input]
    const files = command.reading.targets.map((target, index) => change(target, command.files[index] ?? [], input))
    return [
      files.every((own, index) => own === command.files[index]) ? input : withCommand(input, { ...command, files })
    ]
  }
})

const each = (name: string, change: (fact: PathFact.PathFact, input: Input) => PathFact.PathFact): Fault =>
  facts(name, (_, own, input) => {
    const changed = own.map((fact) => change(fact, input))
    return changed.every((fact, index) => fact === own[index]) ? own : changed
  })

/** Targets that are left out of the reading. */
const without = (name: string, isLeftOut: (target: Target, action: Action) => boolean): Fault => ({
  name,
  inputs: (input) => {
    const { command } = input.facts
    if (command === undefined) return [input]
    const { reading } = command
    let changed = false
    const actions = reading.actions.map((action) => {
      const targets = action.targets.filter((index) => {
        const target = reading.targets[index]
        return target === undefined || !isLeftOut(target, action)
      })
      changed ||= targets.length < action.targets.length
      return { ...action, targets }
    })
    if (!changed) return [input]
    // What no action names any more is not judged either.
    const named = new Set(actions.flatMap(({ targets }) => targets))
    const harmless: Target = { path: "/dev/null", role: "mention", redirected: false, glob: false }
    const targets = reading.targets.map((target, index) => (named.has(index) ? target : harmless))
    const files = command.files.map((own, index) => (named.has(index) ? own : []))
    return [withCommand(input, { ...command, files, reading: { ...reading, actions, targets } })]
  }
})

const readings = (name: string, change: (action: Action, all: ReadonlyArray<Action>) => Action): Fault => ({
  name,
  inputs: (input) => {
    const { command } = input.facts
    if (command === undefined) return [input]
    const actions = command.reading.actions.map((action) => change(action, command.reading.actions))
    const isSame = actions.every((action, index) => action === command.reading.actions[index])
    return [isSame ? input : withCommand(input, { ...command, reading: { ...command.reading, actions } })]
  }
})

/** Parts that the model may have or not; without them nothing changes. */
const valueOf = (whole: object, name: string): object | string | number | undefined =>
  (whole as Readonly<Record<string, object | string | number | undefined>>)[name]

const lacking = <A extends object>(whole: A, name: string): A =>
  valueOf(whole, name) === undefined
    ? whole
    : (Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name)) as A)

const replaced = <A extends object>(whole: A, name: string, value: string | number): A =>
  [undefined, value].includes(valueOf(whole, name) as string | number | undefined)
    ? whole
    : Object.assign({}, whole, { [name]: value })

const programOf = ({ argv }: Action): string => argv[0]?.split("/").at(-1) ?? ""

const unhindered = (program: string): Fault =>
  readings(`what ${program} does beside its row is no hazard`, (action) =>
    programOf(action) === program && action.hazards.length + action.floors.length > 0
      ? { ...action, hazards: [], floors: [] }
      : action
  )

const relativeTo = (workspace: string, file: string): string => {
  const relative = path.relative(workspace, file)
  return relative.startsWith("..") ? "" : relative
}

const insideOf = (fact: PathFact.PathFact, resolved: string, { workspace }: Input): PathFact.PathFact =>
  resolved === fact.resolved
    ? fact
    : {
        ...fact,
        resolved,
        inside: resolved === workspace || resolved.startsWith(`${workspace}/`),
        relative: relativeTo(workspace, resolved)
      }

const isLink = (file: string): boolean => {
  try {
    return fs.lstatSync(file).isSymbolicLink()
  } catch {
    return false
  }
}

const plainName = (file: string): string =>
  file
    .split("/")
    .map((part) =>
      /^\.|^(?:package\.json|Makefile|AGENTS\.md|id_rsa)$|\.pem$/.test(part) && !/^\.+$/.test(part) ? "plain" : part
    )
    .join("/")

const unprotected: Fault = {
  name: "no name is protected or secret",
  inputs: (input) => {
    const [disguised = input] = each("", (fact) => {
      const [displayed, resolved] = [plainName(fact.displayed), plainName(fact.resolved)]
      if (displayed === fact.displayed && resolved === fact.resolved) return fact
      return { ...fact, displayed, resolved, relative: plainName(fact.relative) }
    }).inputs(input)
    const { command } = disguised.facts
    if (command === undefined || disguised === input) return [input]
    const targets = command.reading.targets.map((target) =>
      target.path === null ? target : { ...target, path: plainName(target.path) }
    )
    return [withCommand(disguised, { ...command, reading: { ...command.reading, targets } })]
  }
}

/** A program and all that it runs. */
const family = (actions: ReadonlyArray<Action>, root: number): ReadonlyArray<number> => {
  const found = [root]
  for (const [index, action] of actions.entries()) if (found.includes(action.parent)) found.push(index)
  return found
}

/** As if the other programs of the line were not there. */
const alone = (input: Input, command: CommandFact.CommandFact, root: number): Input => {
  const { actions } = command.reading
  const kept = family(actions, root)
  return withCommand(input, {
    ...command,
    reading: {
      ...command.reading,
      actions: kept.flatMap((index) => {
        const action = actions[index]
        return action === undefined ? [] : [{ ...action, parent: kept.indexOf(action.parent) }]
      })
    }
  })
}

const unordered: Fault = {
  name: "each program of a line is judged as if it were the only one",
  inputs: (input) => {
    const { command } = input.facts
    const roots = command?.reading.actions.flatMap(({ parent }, index) => (parent < 0 ? [index] : [])) ?? []
    return command === undefined || roots.length < 2 ? [input] : roots.map((root) => alone(input, command, root))
  }
}

const presumed: Fault = {
  name: "what the text does not name is a new file of the folder",
  inputs: (input) => {
    const { command } = input.facts
    if (command === undefined || command.reading.targets.every(({ path: text }) => text !== null)) return [input]
    const { cwd, files, reading } = command
    const file = `${cwd.resolved}/presumed`
    const fact: PathFact.PathFact = {
      ...cwd,
      given: "presumed",
      displayed: file,
      resolved: file,
      relative: relativeTo(input.workspace, file),
      kind: "absent",
      links: 0
    }
    return [
      withCommand(input, {
        ...command,
        files: reading.targets.map((target, index) => (target.path === null ? [fact] : (files[index] ?? []))),
        reading: {
          ...reading,
          targets: reading.targets.map((target) => (target.path === null ? { ...target, path: "presumed" } : target))
        }
      })
    ]
  }
}

/** A model without the rule has neither of what it makes of such a flag: a hazard, and its value as a file that is written. */
const unlisted: Fault = {
  name: "flags that are not listed do nothing",
  inputs: (input) =>
    without("", ({ role }) => role === "output")
      .inputs(input)
      .flatMap(
        readings("", (action) => {
          const hazards = action.hazards.filter(({ why }) => !why.includes("its flag"))
          return hazards.length === action.hazards.length ? action : { ...action, hazards }
        }).inputs
      )
}

const changes = new Set<Target["role"]>(["write", "tree", "entry"])

export const faults: ReadonlyArray<Fault> = [
  unordered,
  presumed,
  each("only the displayed path counts", (fact, input) => insideOf(fact, fact.displayed, input)),
  each("a link is the file that it is", (fact, input) =>
    isLink(fact.displayed) ? { ...insideOf(fact, fact.displayed, input), kind: "file", links: 1 } : fact
  ),
  facts("a pattern stands for itself", (target, own, { facts: { command }, workspace }) => {
    const [first] = own
    if (!target.glob || target.path === null || first === undefined || command === undefined) return own
    const file = path.resolve(command.cwd.resolved, target.path)
    const inside = file.startsWith(`${workspace}/`)
    const place = { displayed: file, resolved: file, inside, relative: relativeTo(workspace, file) }
    return [{ ...first, ...place, given: target.path, kind: "absent", links: 0 }]
  }),
  each("a folder is its name, and nothing in it", (fact) => lacking(fact, "below")),
  ...["secret", "protected", "outside"].map((name) =>
    each(`what is ${name} in a folder is not looked at`, (fact) => {
      const below = valueOf(fact, "below")
      const less = typeof below === "object" ? lacking(below, name) : below
      return less === below ? fact : Object.assign({}, fact, { below: less })
    })
  ),
  readings("no program moves a path", (action) => replaced(action, "moves", "nothing")),
  readings("programs move the paths that they name, and no others", (action) =>
    valueOf(action, "moves") === "anywhere" ? replaced(action, "moves", "targets") : action
  ),
  readings("nothing is unpacked", (action) => {
    const floors = action.floors.filter((floor) => floor !== "unpacking")
    return floors.length === action.floors.length ? action : { ...action, floors }
  }),
  without("flags that nobody described write nothing", ({ role }) => role === "output"),
  unprotected,
  without("nothing appears in the folder that something is put into", ({ role }) => role === "entry"),
  without("a redirection writes nothing", ({ redirected }) => redirected),
  without("what is read is not looked at", ({ role }) => role === "read"),
  without("words that may name a file name none", ({ role }) => role === "mention"),
  without("what a program changes is not looked at", ({ role }, { argv }) => role === "tree" && argv[0] !== "rm"),
  without("what rm removes is not looked at", (_, { argv }) => argv[0] === "rm"),
  without("what is not known is left out", ({ path: text }) => text === null),
  without("what is written in a pipe is left out", ({ role }, { parent }) => parent >= 0 && changes.has(role)),
  ...["git", "tar"].map(unhindered),
  unlisted,
  readings("what a program runs is not judged", (action, all) =>
    action.parent >= 0 && all[action.parent] !== undefined
      ? { ...action, targets: [], hazards: [], floors: [] }
      : action
  )
]
