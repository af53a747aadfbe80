// Programs as a stranger starts them, and what they said.
import { spawn } from "node:child_process"

export interface Said {
  readonly status: number | null
  readonly out: string
  readonly all: string
}

/** Without what a checkout puts into its environment. */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  more: NodeJS.ProcessEnv = {}
): Promise<Said> =>
  new Promise((resolve) => {
    const env = { ...process.env, NODE_PATH: "", NODE_OPTIONS: "", NODE_NO_WARNINGS: "1", ...more }
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    let [out, all] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      all += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      all += text
    })
    child.on("error", (cause) => resolve({ status: null, out, all: String(cause) }))
    child.on("close", (status) => resolve({ status, out, all }))
  })

/** Without where it was thrown. */
const lastLines = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^ +at /.test(line))
    .slice(-12)
    .join(" | ")

/** One sentence when a program failed. */
export const failed = (what: string, { all, status }: Said): ReadonlyArray<string> =>
  status === 0 ? [] : [`${what} ended with ${status}: ${lastLines(all)}`]
