/**
 * Who asks for tasks, and where: the client program with the folder that it works in sees its own tasks and no others, and
 * names no folder outside of those that it was given.
 */
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as path from "node:path"
import { type Failure, usage } from "../cli/Failure.ts"
import * as Home from "../settings/Home.ts"

export interface Scope {
  /** Canonical folders; the first is where a task works that names none. */
  readonly roots: readonly [string, ...ReadonlyArray<string>]
  /** Of the client program, as it calls itself. */
  readonly client: string
}

export const nameOf = ({ client, roots }: Scope): string => `${client} ${roots[0]}`

const isWithin = (root: string, folder: string): boolean => {
  const way = path.relative(root, folder)
  return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way))
}

/** A folder of the client, wherever links lead. Errors: one line for any other. */
export const folder = ({ roots }: Scope, cwd: string | undefined): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    const found = yield* Effect.fromResult(Home.workspace(path.resolve(roots[0], cwd ?? ".")))
    if (roots.some((root) => isWithin(root, found))) return found
    return yield* usage(
      `the folder is outside of where this server works (${cwd})`,
      `Name one in ${roots.join(" or ")}.`
    )
  })

const hash = (...parts: ReadonlyArray<string>): string => {
  const sum = createHash("sha256")
  for (const part of parts) sum.update(`${part.length} ${part}`)
  return sum.digest("hex")
}

const said = (meta: Readonly<Record<string, unknown>> | undefined, name: string): string | undefined => {
  const found = meta?.[name]
  return typeof found === "string" && found !== "" ? found : undefined
}

/** What names a call for good, where its client does: the same when it is sent again. */
export const callKey = (meta: Readonly<Record<string, unknown>> | undefined): string | undefined => {
  const use = said(meta, "claudecode/toolUseId")
  if (use !== undefined) return hash("claude", use)
  const [thread, call] = [said(meta, "threadId"), said(meta, "callId")]
  return call === undefined ? undefined : hash("codex", thread ?? "", call)
}

/** The id of the task that a key asks for: one key of a scope is one task, in whatever process. */
export const taskId = (scope: Scope, key: string): TaskId.TaskId => {
  const digits = hash(nameOf(scope), key)
  const version = `8${digits.slice(13, 16)}`
  const variant = `${"89ab"[Number.parseInt(digits[16] ?? "0", 16) % 4]}${digits.slice(17, 20)}`
  return TaskId.TaskId.make(
    `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${version}-${variant}-${digits.slice(20, 32)}`
  )
}
