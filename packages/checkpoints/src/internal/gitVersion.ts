/**
 * The version of git, which has to be new enough for everything that is asked of it here.
 */
import { Git } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { CheckpointError } from "../CheckpointError.ts"

const oldest = [2, 32] as const

export interface GitVersion {
  readonly major: number
  readonly minor: number
}

export const isAtLeast = (version: GitVersion, major: number, minor: number): boolean =>
  version.major > major || (version.major === major && version.minor >= minor)

/** The version of a git that is new enough. */
export const check = Effect.fnUntraced(function* (program: string, env: Record<string, string>) {
  const cwd = path.dirname(program)
  const { stdout } = yield* Git.run(program, { args: ["--version"], cwd, env }).pipe(
    Effect.mapError((cause) => new CheckpointError({ reason: "noGit", subject: program, cause }))
  )
  const [version, major, minor] = /(\d+)\.(\d+)[\w.]*/.exec(stdout.toString("latin1")) ?? ["unknown", "0", "0"]
  const found: GitVersion = { major: Number(major), minor: Number(minor) }
  if (!isAtLeast(found, ...oldest)) return yield* new CheckpointError({ reason: "oldGit", subject: version })
  return found
})
