/** The programs that are measured from outside: ours, and the floor, over one server. */
import * as path from "node:path"
import type { Program } from "./processes.ts"
import { promptOf } from "./workload.ts"

export interface Options {
  readonly temporary: string
  /** The built `belay.js`. */
  readonly entry: string
  /** Where tasks work. */
  readonly cwd: string
  readonly runs: number
}

/** Nothing of the caller's settings: only what Node needs to run. */
export const inherited = (): NodeJS.ProcessEnv => {
  const keep = ["PATH", "SystemRoot", "TEMP", "TMP", "TMPDIR"]
  return Object.fromEntries(
    keep.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  )
}

/** No service: for what asks none. */
export const nowhere = "http://127.0.0.1:9"

/** `home` names the data folder. */
export const environment = ({ temporary }: Options, url: string, home: string): NodeJS.ProcessEnv => ({
  ...inherited(),
  HOME: path.join(temporary, "home"),
  USERPROFILE: path.join(temporary, "home"),
  BELAY_HOME: path.join(temporary, home),
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "bench-key"
})

export interface Pair {
  readonly belay: Program
  readonly floor: Program
}

export const pairOf = (options: Options, url: string, home: string): Pair => {
  const env = environment(options, url, home)
  const { cwd, entry } = options
  return {
    belay: {
      name: "belay",
      args: (turns) => [entry, "run", promptOf(turns), "--output", "json", "--max-requests", "2000"],
      env,
      cwd
    },
    floor: {
      name: "floor",
      args: (turns) => [path.join(import.meta.dirname, "floor.mjs"), promptOf(turns)],
      env,
      cwd
    }
  }
}

/** A B, B A, A B …, after one run of each that does not count: what grows or falls with time meets both alike. */
export const alternating = async <P, A>(
  { belay, floor }: { readonly belay: P; readonly floor: P },
  runs: number,
  once: (program: P) => Promise<A>
): Promise<{ readonly belay: ReadonlyArray<A>; readonly floor: ReadonlyArray<A> }> => {
  const ours: Array<A> = []
  const bare: Array<A> = []
  for (let run = 0; run <= runs; run++) {
    const first = await once(run % 2 === 0 ? belay : floor)
    const second = await once(run % 2 === 0 ? floor : belay)
    if (run === 0) continue
    ours.push(run % 2 === 0 ? first : second)
    bare.push(run % 2 === 0 ? second : first)
  }
  return { belay: ours, floor: bare }
}
