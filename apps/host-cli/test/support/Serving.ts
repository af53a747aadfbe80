/** Commands that run to their end in processes that are kept for the next ones: one for each that runs side by side. */
import { type ChildProcess, fork } from "node:child_process"
import { entry } from "./Built.ts"

export interface Command {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** What differs from one command to the next; `null` removes a variable. */
  readonly env: { readonly [name: string]: string | null }
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs commands, all with this environment added to that of the tests. The processes end with the one that runs the tests. */
export const make = (environment: { readonly [name: string]: string | undefined }) => {
  const idle = new Set<ChildProcess>()

  const begin = (): ChildProcess => {
    const child = fork(entry("serving"), [], {
      env: { ...process.env, ...environment },
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"]
    })
    child.once("close", () => idle.delete(child))
    return child
  }

  return async (command: Command): Promise<Ended> => {
    // One that has ended is known to have only once its pipes are closed, too.
    for (const one of idle) if (!one.connected) idle.delete(one)
    const [child = begin()] = idle
    idle.delete(child)
    const ended = Promise.withResolvers<Ended>()
    let stderr = ""
    const hear = (chunk: Buffer) => (stderr += chunk.toString())
    const died = (code: number | null) => ended.resolve({ code, stdout: "", stderr })
    child.stderr?.on("data", hear)
    child.once("close", died)
    child.once("message", (message: Ended) => {
      child.off("close", died)
      child.stderr?.off("data", hear)
      idle.add(child)
      ended.resolve(message)
    })
    child.send(command, (cause) => {
      if (cause !== null) died(child.exitCode)
    })
    return ended.promise
  }
}
