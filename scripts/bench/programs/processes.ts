/** The processes of the bench: the server, and the programs that are measured from outside. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { now, type Served } from "./clock.ts"

export interface Program {
  readonly name: string
  readonly args: (turns: number) => ReadonlyArray<string>
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

export interface Timed {
  readonly firstRequest: number
  /** Ms from one request to the next; `turns` of them. */
  readonly turns: ReadonlyArray<number>
  readonly whole: number
  readonly exit: number
}

export interface Server {
  readonly url: string
  /** What it served since the last call. */
  readonly take: () => Promise<Served>
  readonly stop: () => void
}

const lines = (child: ChildProcess) => {
  const reader = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return async (): Promise<any> => {
    const { done, value } = await reader.next()
    if (done === true) throw new Error("the scripted server ended")
    return JSON.parse(value)
  }
}

/** `by`: the server of another wire. */
export const serve = async (temporary: string, name: string, scenario: unknown, by = "server.ts"): Promise<Server> => {
  const file = path.join(temporary, `${name}.json`)
  writeFileSync(file, JSON.stringify(scenario))
  const script = path.join(import.meta.dirname, by)
  const child = spawn(process.execPath, ["--conditions=@belay/source", script, file], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const next = lines(child)
  const { url } = await next()
  return {
    url,
    take: () => {
      child.stdin.write("\n")
      return next()
    },
    stop: () => child.stdin.end()
  }
}

interface Ran {
  readonly started: number
  readonly ended: number
}

/** Runs a program to its end, with `input` on its stdin and its output read; throws when it ends with another code. */
export const run = (
  args: ReadonlyArray<string>,
  { code: wanted = 0, input = "", ...options }: { cwd: string; env: NodeJS.ProcessEnv; input?: string; code?: number }
): Promise<Ran> => {
  const { promise, reject, resolve } = Promise.withResolvers<Ran>()
  const started = now()
  const child = spawn(process.execPath, args, { ...options, stdio: ["pipe", "pipe", "pipe"] })
  child.stdin.end(input)
  let said = ""
  let ended = 0
  child.stdout.resume()
  child.stderr.on("data", (chunk) => (said = (said + chunk).slice(-2000)))
  child.once("exit", () => (ended = now()))
  child.once("error", reject)
  child.once("close", (code) => {
    if (code === wanted) resolve({ started, ended })
    else reject(new Error(`${args.join(" ")} ended with ${code}: ${said}`))
  })
  return promise
}

export const time = async (server: Server, program: Program, turns: number): Promise<Timed> => {
  const { ended, started } = await run(program.args(turns), program)
  const { received, sent } = await server.take()
  const first = received[0]
  const last = sent.at(-1)
  if (first === undefined || last === undefined || received.length !== turns + 1) {
    throw new Error(`${program.name} made ${received.length} requests instead of ${turns + 1}`)
  }
  const gaps = received.slice(1).map((at, index) => at - received[index]!)
  return { firstRequest: first - started, turns: gaps, whole: ended - started, exit: ended - last }
}

/** What a process has taken by its end: peak resident memory in MB, processor time in ms. */
export interface Usage {
  readonly peak: number
  readonly processor: number
}

/** In a run of its own, since the preload costs time. */
export const usage = async (
  args: ReadonlyArray<string>,
  { env, ...options }: { cwd: string; env: NodeJS.ProcessEnv; input?: string; code?: number },
  file: string
): Promise<Usage> => {
  const preload = path.join(import.meta.dirname, "usage.cjs")
  await run(["--require", preload, ...args], { ...options, env: { ...env, BENCH_USAGE: file } })
  const [kilobytes, microseconds] = readFileSync(file, "utf8").split(" ").map(Number)
  return { peak: (kilobytes ?? Number.NaN) / 1024, processor: (microseconds ?? Number.NaN) / 1000 }
}
