/** The `belay` command beside the editor: the same data folder, the same model. */
import { Processes } from "@belay/testkit"
import * as path from "node:path"
import type { VSCode } from "./VSCode.ts"

const entry = path.resolve(import.meta.dirname, "../../../host-cli/dist/belay.js")

type Beside = Pick<VSCode, "env" | "workspace">

/** Its stdin stays open, so with `--input stream-json` an ask waits. */
export const start = (vs: Beside, args: ReadonlyArray<string>): Processes.NodeProcess =>
  Processes.spawnNode([entry, ...args], { env: vs.env, cwd: vs.workspace })

export const json = async (vs: Beside, args: ReadonlyArray<string>): Promise<any> => {
  const running = start(vs, [...args, "--output", "json"])
  running.endInput()
  const { stdout } = await running.exit
  return JSON.parse(stdout.join("\n"))
}
