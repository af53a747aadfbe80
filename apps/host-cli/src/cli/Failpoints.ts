/** `BELAY_FAILPOINT=<name>[:n]`: this process is killed the n-th time it gets there, as a power cut would. */
import { Failpoint } from "@belay/task-state/unstable"
import * as Result from "effect/Result"
import { type Failure, usage } from "./Failure.ts"

interface Hits {
  readonly hit: (name: Failpoint.Failpoint) => void
}

const isName = (name: string): name is Failpoint.Failpoint => (Failpoint.names as ReadonlyArray<string>).includes(name)

/** What `BELAY_FAILPOINT` asks for; nothing when it is not set. Errors: a name that does not exist. */
export const fromEnvironment = (env: NodeJS.ProcessEnv = process.env): Result.Result<Hits | undefined, Failure> => {
  const asked = env["BELAY_FAILPOINT"]
  if (asked === undefined || asked === "") return Result.succeed(undefined)
  const match = /^([a-z.]+)(?::([1-9]\d*))?$/.exec(asked)
  const name = match?.[1] ?? ""
  if (!isName(name)) {
    return Result.fail(usage(`unknown failpoint (${asked})`, 'See "belay debug failpoints".'))
  }
  let left = Number(match?.[2] ?? 1)
  return Result.succeed({
    hit: (reached) => {
      if (reached === name && --left === 0) process.kill(process.pid, "SIGKILL")
    }
  })
}
