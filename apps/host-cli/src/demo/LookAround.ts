/**
 * Commands for looking around in the demo's history: each runs as printed, in any folder.
 *
 * `belay` is written as such only where the shell would find this very program under that name.
 */
import { realpathSync } from "node:fs"
import * as path from "node:path"
import type { Sample } from "./Sample.ts"

export interface Invocation {
  readonly execPath: string
  readonly execArgv: ReadonlyArray<string>
  /** The script that Node runs. */
  readonly entry: string
  readonly env: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
}

const real = (file: string): string | undefined => {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

const plain = /^[A-Za-z0-9_./:@%+=,\\-]+$/

const quote = (text: string, platform: NodeJS.Platform): string => {
  if (plain.test(text)) return text
  return platform === "win32" ? `'${text.replaceAll("'", "''")}'` : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The name finds this file on PATH, before any other. */
const finds = (name: string, file: string, { env, platform }: Invocation): boolean => {
  const names = platform === "win32" ? [`${name}.exe`] : [name]
  // `npm start` puts the Node of its checkout first, which the shell of the person has not.
  const folders = (env["PATH"] ?? env["Path"] ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !folder.split(path.sep).includes(".tools"))
  const found = folders.flatMap((folder) => names.map((each) => real(path.join(folder, each)))).find(Boolean)
  return found !== undefined && found === real(file)
}

/** How this program is called from a shell. */
export const program = (invocation: Invocation): string => {
  const { entry, execArgv, execPath, platform } = invocation
  if (execArgv.length === 0 && finds("belay", entry, invocation)) return "belay"
  const node = finds("node", execPath, invocation) ? "node" : execPath
  const words = [node, ...execArgv, real(entry) ?? entry].map((word) => quote(word, platform))
  // A quoted program needs the call operator in PowerShell.
  return `${platform === "win32" && words[0]?.startsWith("'") === true ? "& " : ""}${words.join(" ")}`
}

/** A list, a tree and a whole conversation. */
export const commands = (sample: Sample, invocation: Invocation): ReadonlyArray<string> => {
  const { platform } = invocation
  const home = quote(sample.home, platform)
  const before =
    platform === "win32" ? `$env:BELAY_HOME = ${home.startsWith("'") ? home : `'${home}'`}; ` : `BELAY_HOME=${home} `
  const called = `${before}${program(invocation)}`
  const cwd = `--cwd ${quote(sample.workspace, platform)}`
  return [`${called} task list --all`, `${called} task tree last ${cwd}`, `${called} task show last --messages ${cwd}`]
}
