/**
 * What fits where the cursor stands in a command line, from the table of commands and from what is stored here.
 *
 * It reads and never writes, and what cannot be read is left out: a shell asks for it at every TAB.
 */
import { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { readdirSync } from "node:fs"
import * as path from "node:path"
import type { Command, Flag } from "./cli/Command.ts"
import { commands } from "./CommandLine.ts"
import { reading } from "./tasks/Reading.ts"
import * as TaskReference from "./tasks/TaskReference.ts"

interface Candidate {
  readonly value: string
  readonly about: string
}

type Found = Effect.Effect<ReadonlyArray<Candidate>>

const none: Found = Effect.succeed([])

const plain = (values: Iterable<string>): ReadonlyArray<Candidate> => [...values].map((value) => ({ value, about: "" }))

const orNone = <E>(found: Effect.Effect<ReadonlyArray<Candidate>, E>): Found => Effect.orElseSucceed(found, () => [])

const newest = 50

const tasks: Found = orNone(
  reading(
    Effect.gen(function* () {
      const { rows } = yield* (yield* TaskHistory).list({ limit: newest })
      const listed = yield* Effect.forEach(rows, ({ meta, record }) =>
        Effect.map(TaskReference.short(record.id), (value) => ({ value, about: meta.title }))
      )
      return [...listed, { value: "last", about: "the newest task of this folder" }]
    })
  )
)

const deleted: Found = orNone(
  reading(
    Effect.map(
      Effect.flatMap(TaskHistory, (history) => history.deleted),
      (all) => all.map(({ id, title }) => ({ value: Words.shortId(id), about: title }))
    )
  )
)

const models: Found = orNone(
  Effect.gen(function* () {
    const [{ load }, { modelIdOf }, { ModelTable }] = yield* Effect.promise(() =>
      Promise.all([import("./settings/User.ts"), import("@belay/settings/file"), import("@belay/model-client")])
    )
    const user = yield* load
    const named = [modelIdOf(user, "act"), modelIdOf(user, "plan")].filter((id) => id !== undefined)
    const listed = Object.keys(user.models ?? {}).filter((id) => !id.includes("*"))
    return plain(new Set([...listed, ...named, ...Object.keys(ModelTable.aliases)]))
  })
)

const worktrees: Found = orNone(
  Effect.gen(function* () {
    const { Worktree } = yield* Effect.promise(() => import("@belay/git-runner"))
    return (yield* Worktree.list(process.cwd())).map(({ folder, name }) => ({ value: name, about: folder }))
  })
)

const settings: Found = Effect.promise(async () => plain((await import("./settings/Names.ts")).names))

const servers: Found = orNone(
  Effect.gen(function* () {
    const [{ layer }, { McpServers }, { directory }] = yield* Effect.promise(() =>
      Promise.all([
        import("./settings/Mcp.ts"),
        import("@belay/tool-executor/mcp"),
        import("@belay/history-store/data-folder")
      ])
    )
    const { servers: known } = yield* McpServers.use((mcp) => mcp.list(process.cwd())).pipe(
      Effect.provide(layer(directory()))
    )
    return plain(known.map(({ name }) => name))
  })
)

const slash: Found = Effect.gen(function* () {
  const { commandsIn } = yield* Effect.promise(() => import("./terminal/Slash.ts"))
  const known = yield* commandsIn(process.cwd())
  return known.map(({ description, name }) => ({ value: `/${name}`, about: description }))
})

/** The entries of the folder of a mention that is being typed; names that a mention quotes are left out. */
const mentions = (typed: string): Found =>
  Effect.sync(() => {
    const folder = typed.slice(0, typed.lastIndexOf("/") + 1) || "/"
    try {
      return readdirSync(path.join(process.cwd(), folder), { withFileTypes: true })
        .filter(({ name }) => name !== ".git" && /^[\w.+-]+$/.test(name))
        .map((entry) => ({ value: `@${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`, about: "" }))
    } catch {
      return []
    }
  })

const commandOf = (words: ReadonlyArray<string>): Command | undefined =>
  commands.find(({ path: name }) => name.every((word, index) => words[index] === word))

/** The next words of commands that begin like this. */
const verbs = (words: ReadonlyArray<string>): ReadonlyArray<Candidate> => {
  const found = new Map<string, string>()
  for (const { about, path: name } of commands) {
    const next = name[words.length]
    if (next === undefined || words.some((word, index) => name[index] !== word)) continue
    found.set(next, found.has(next) || name.length > words.length + 1 ? "" : about)
  }
  return [...found].map(([value, about]) => ({ value, about }))
}

const valuesOf = ({ name, value = "" }: Flag): Found => {
  if (name === "model" || name === "plan-model") return models
  if (name === "only") return tasks
  const choices = value.split("|").filter((choice) => /^[a-z-]+$/.test(choice))
  return Effect.succeed(value.includes("|") ? plain(choices) : [])
}

const flagsOf = ({ flags }: Command, given: ReadonlyArray<string>): ReadonlyArray<Candidate> =>
  flags
    .filter(({ many, name }) => many === true || !given.includes(`--${name}`))
    .map(({ about, name }) => ({ value: `--${name}`, about }))

/** The arguments before the cursor, without flags and their values. */
const argumentsOf = ({ flags }: Command, given: ReadonlyArray<string>): ReadonlyArray<string> =>
  given.filter((word, index) => {
    const before = flags.find(({ name }) => given[index - 1] === `--${name}`)
    return !word.startsWith("--") && before?.value === undefined
  })

const argumentOf = (command: Command, before: ReadonlyArray<string>): Found => {
  const [group, verb] = command.path
  if (verb === "undelete") return before.length === 0 ? deleted : none
  if (before.length === 0 && /^(?:ID|CHILD)\b/.test(command.args)) return tasks
  if (group === "config" && before.length === 0 && command.args !== "") return settings
  if (group === "mcp" && before.length === 0 && (verb === "remove" || verb === "test")) return servers
  if (group === "worktree" && before.length === 0 && command.args !== "") return worktrees
  if (group === "task" && verb === "mode" && before.length === 1) return Effect.succeed(plain(["plan", "act"]))
  if (group === "completions") return Effect.succeed(plain(command.args.split("|")))
  return none
}

const candidates = (words: ReadonlyArray<string>, current: string): Found => {
  const command = commandOf(words)
  if (command === undefined) return Effect.succeed(verbs(words))
  const given = words.slice(command.path.length)
  const flag = command.flags.find(({ name, value }) => value !== undefined && given.at(-1) === `--${name}`)
  if (flag !== undefined) return valuesOf(flag)
  if (current.startsWith("-")) return Effect.succeed(flagsOf(command, given))
  const before = argumentsOf(command, given)
  const speaks = /\b(?:prompt|text|message|TEXT)\b/.test(command.args)
  if (speaks && current.startsWith("@")) return mentions(current.slice(1))
  const first = command.args.startsWith("ID") || command.args.startsWith("CHILD") ? 1 : 0
  if (speaks && current.startsWith("/") && before.length === first) return slash
  const onward = given.length === 0 ? verbs(words) : []
  return onward.length === 0
    ? argumentOf(command, before)
    : Effect.map(argumentOf(command, before), (found) => [...onward, ...found])
}

/**
 * What may stand at the end of these words, the last of which is being typed; best first. bash gives an `@` as a word of
 * its own, and puts what fits in the place of both.
 */
export const complete = (typed: ReadonlyArray<string>): Found => {
  const words = typed.slice(0, -1)
  const current = typed.at(-1) ?? ""
  const isSplit = words.at(-1) === "@"
  const whole = isSplit ? `@${current}` : current
  return Effect.map(candidates(isSplit ? words.slice(0, -1) : words, whole), (found) =>
    found
      .filter(({ value }) => value.startsWith(whole))
      .map(({ about, value }) => ({ value, about: Words.printable(about) }))
  )
}
