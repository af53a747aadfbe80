/** The programs that the tools of a workspace run, as they would find them, and what each says of its version. */
import { Git, GitProgram } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import * as Bash from "../process/Bash.ts"

/** Names a program that was found. */
export interface Program {
  /** Absolute. */
  readonly file: string
  /** The first line that it says of itself; empty where it says nothing within 5 seconds. */
  readonly version: string
}

const timeout = 5000

const firstLine = (text: string): string => text.split(/\r?\n/)[0]?.trim() ?? ""

const asked = (file: string): Effect.Effect<Program> =>
  Effect.callback((resume) => {
    const child = execFile(file, ["--version"], { env: {}, timeout, windowsHide: true }, (_, stdout) =>
      resume(Effect.succeed({ file, version: firstLine(stdout) }))
    )
    return Effect.sync(() => void child.kill())
  })

/** The one that `named` names, by the user's settings; nothing where there is none outside the workspace. */
export const bash = (workspace: string, named?: string): Effect.Effect<Program | undefined> =>
  Effect.suspend(() => {
    const file = Bash.find(process.env, workspace, { named })
    return file === undefined ? Effect.succeed(undefined) : asked(file)
  })

/** Says why the bash that the user's settings name cannot be used, in words; undefined when it can. */
export const bashProblem = (named: string, workspace: string): string | undefined => Bash.unusable(named, workspace)

/** The one that comes with this package; nothing where it has none for the platform. */
export const ripgrep: Effect.Effect<Program | undefined> = Effect.promise(() =>
  import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => undefined
  )
).pipe(Effect.flatMap((file) => (file === undefined ? Effect.succeed(undefined) : asked(file))))

/** Nothing where there is none that no project has brought along. */
export const git = (workspace: string): Effect.Effect<Program | undefined> =>
  Effect.suspend(() => {
    const file = GitProgram.find(process.env, [workspace])
    if (file === undefined) return Effect.succeed(undefined)
    const call = { args: ["--version"], cwd: workspace, env: Git.ownEnvironment(process.env, [workspace]) }
    return Git.run(file, call).pipe(
      Effect.map(({ stdout }) => firstLine(stdout.toString("utf8"))),
      Effect.timeout(timeout),
      Effect.orElseSucceed(() => ""),
      Effect.map((version) => ({ file, version }))
    )
  })
