/**
 * Which MCP servers there are: what the user's file and a trusted project's file define, and the values that they need.
 *
 * A project's server never has a user's name or environment; what is wrong with a file is a line, and the rest counts.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { statSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { Environment } from "../workspace/process/CommandEnvironment.ts"
import { McpServerError } from "./McpServerError.ts"
import * as ServerFile from "./ServerFile.ts"
import * as Variables from "./Variables.ts"

/**
 * The servers of a project: the text of `.belay/mcp.json`, and as `shared` that of `.mcp.json` in its root, which are trusted,
 * or why nothing of them counts. Of two of one name that of the first counts.
 */
export type ProjectText =
  | { readonly _tag: "None" }
  | { readonly _tag: "Trusted"; readonly text: string; readonly shared?: string }
  /** The text is shown, and nothing of it is started. */
  | { readonly _tag: "Untrusted"; readonly text: string; readonly shared?: string; readonly why: string }

export interface Sources {
  /** The user's file; without it none of the user's counts but what is given. */
  readonly file: string | undefined
  readonly project: ((workspace: string) => Effect.Effect<ProjectText>) | undefined
  /** What the user gave to this process alone; of two of one name these count. */
  readonly given?: ServerFile.ServerFile | undefined
}

/** A server as a file defines it. */
export interface ServerConfig {
  readonly name: string
  readonly origin: "user" | "project"
  readonly definition: ServerFile.Definition
  /** Why it is not started, as a sentence. */
  readonly untrusted?: string
}

/** All servers of a workspace, and what the user says of their tools. */
export interface Found {
  readonly defined: ReadonlyArray<ServerConfig>
  readonly marks: ReadonlyMap<string, ServerFile.Mark>
  /** What is wrong with a file; one line each. */
  readonly problems: ReadonlyArray<string>
  /** What was read in another way than it is written; one line each. */
  readonly notes: ReadonlyArray<string>
}

const largestFile = 1024 * 1024

const readUser = (file: string): Effect.Effect<string | undefined, ServerFile.ServerFileError> => {
  const unreadable = (cause: unknown) =>
    new ServerFile.ServerFileError({ file, problem: cause instanceof Error ? cause.message : "it cannot be read" })
  return Effect.tryPromise({
    try: async () => {
      const found = statSync(file, { throwIfNoEntry: false })
      if (found === undefined) return undefined
      if (!found.isFile() || found.size > largestFile) throw new Error("it is not a file of at most 1 MB")
      return await fs.readFile(file, "utf8")
    },
    catch: unreadable
  })
}

/** Reads the files each time. */
export const find = (
  { file, given: own = ServerFile.empty, project }: Sources,
  workspace: string
): Effect.Effect<Found> =>
  Effect.gen(function* () {
    const [problems, notes]: [Array<string>, Array<string>] = [[], []]
    const told =
      (from: string) =>
      (found: ServerFile.ServerFile): ServerFile.ServerFile => {
        problems.push(
          ...found.problems.map((problem) => `T${problem.slice(1)} (${from}). Correct it: what else is there counts.`)
        )
        notes.push(...found.notes)
        return found
      }
    const orNone = Effect.catch((error: ServerFile.ServerFileError) => {
      problems.push(error.message)
      return Effect.succeed(ServerFile.empty)
    })
    const kept =
      file === undefined
        ? ServerFile.empty
        : yield* readUser(file).pipe(
            Effect.flatMap((text) => ServerFile.parse(text, { file, whose: "user" })),
            orNone,
            Effect.map(told(file))
          )
    const user = {
      servers: new Map([...kept.servers, ...own.servers]),
      marks: new Map([...kept.marks, ...own.marks])
    }
    const users = [...user.servers].map(([name, definition]): ServerConfig => ({ name, origin: "user", definition }))
    const given = project === undefined ? { _tag: "None" as const } : yield* project(workspace)
    if (given._tag === "None") return { defined: users, marks: user.marks, problems, notes }
    const parsed = (text: string | undefined, ...at: ReadonlyArray<string>) => {
      const from = { file: path.join(workspace, ...at), whose: "project" } as const
      return ServerFile.parse(text, from).pipe(orNone, Effect.map(told(from.file)))
    }
    const shared = yield* parsed(given.shared, ".mcp.json")
    const ownFile = yield* parsed(given.text, ".belay", "mcp.json")
    const theirs = {
      servers: new Map([...shared.servers, ...ownFile.servers]),
      marks: new Map([...shared.marks, ...ownFile.marks])
    }
    const trust = given._tag === "Untrusted" ? { untrusted: given.why } : {}
    const projects = [...theirs.servers].flatMap(([name, definition]): ReadonlyArray<ServerConfig> => {
      if (!user.servers.has(name)) return [{ name, origin: "project", definition, ...trust }]
      problems.push(`The project's server '${name}' is ignored: you have one of this name.`)
      return []
    })
    // A project switches off what it brings, and nothing of the user's.
    const barred = [...theirs.marks].filter(([key]) => projects.some(({ name }) => key.startsWith(`${name}/`)))
    return { defined: [...users, ...projects], marks: new Map([...barred, ...user.marks]), problems, notes }
  })

/** What an approval of its tools is kept under. */
export const keyOf = (workspace: string, { name, origin }: Pick<ServerConfig, "name" | "origin">): string =>
  origin === "user" ? `user:${name}` : `project:${workspace}:${name}`

/** Values that no output may hold: their names say so, or they come from the environment. */
const secretName = /key|token|secret|passw|auth|cookie|credential/i

/** A definition with its values in place, and what it is given as environment or headers. */
export interface Resolved {
  readonly definition: ServerFile.Definition
  readonly values: Readonly<Record<string, string>>
}

/** `onSecret` is told of what no output may hold. A project's server has no value of the environment, but its defaults. */
export const resolved = (
  { definition, name, origin }: ServerConfig,
  { environment, workspace }: { readonly environment: Environment; readonly workspace: string },
  onSecret: (value: string) => void
): Result.Result<Resolved, McpServerError> => {
  const failed = (problem: string) => Result.fail(new McpServerError({ server: name, reason: "values", problem }))
  const around = (onValue: Variables.Around["onValue"]): Variables.Around => ({
    environment: origin === "user" ? environment : {},
    workspace,
    onValue
  })
  /** Words of a command line and addresses are shown: only what is called a secret is one. */
  const inWords = around((variable, value) => void (secretName.test(variable) && onSecret(value)))
  const given = ServerFile.isLocal(definition) ? definition.env : definition.headers
  const found = Result.gen(function* () {
    const values = yield* Variables.expandAll(
      given ?? {},
      around(() => undefined)
    )
    const changed = ServerFile.isLocal(definition)
      ? {
          command: yield* Variables.expand(definition.command, inWords),
          ...(definition.args === undefined ? {} : { args: yield* Variables.expandAll(definition.args, inWords) }),
          ...(definition.cwd === undefined ? {} : { cwd: yield* Variables.expand(definition.cwd, inWords) })
        }
      : { url: yield* Variables.expand(definition.url, inWords) }
    return { values, whole: { ...definition, ...changed } }
  })
  if (Result.isFailure(found)) {
    const { name: variable } = found.failure
    if (variable.startsWith("input:"))
      return failed(
        `The server '${name}' needs the ${variable.replace(":", " ")}, which nobody is asked for. Set a variable of the environment, and write \${env:NAME}.`
      )
    return failed(
      origin === "user"
        ? `The server '${name}' needs ${variable}, which the environment does not have.`
        : `The project's server '${name}' may not have ${variable} of the environment.`
    )
  }
  const { values, whole } = found.success
  const checked = ServerFile.definition(name, whole)
  if (Result.isFailure(checked)) return failed(`The server '${name}' cannot be used: ${checked.failure.message}.`)
  for (const [key, value] of Object.entries(values)) {
    const written = given?.[key] ?? ""
    if (!secretName.test(key) && written === value) continue
    onSecret(value)
    // Of "Bearer token" the token alone is the secret.
    const last = value.split(" ").at(-1)
    if (last !== undefined && last !== value) onSecret(last)
  }
  return Result.succeed({ definition: checked.success, values })
}
