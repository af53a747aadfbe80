/**
 * Examples as people read them: of the help of each command and of the READMEs, and what a shell makes of them.
 *
 * A shell reads every line once, with a `belay` that notes what it is given; so quotes, pipes and `<` mean what they mean.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { commands } from "../../src/CommandLine.ts"
import * as Help from "../../src/cli/Help.ts"

export interface Example {
  readonly line: string
  /** What `belay` is given; nothing when the line does not start it. */
  readonly args: ReadonlyArray<string> | undefined
  /** What comes on its stdin. */
  readonly stdin: string | undefined
  /** What the shell says of it besides. */
  readonly code: number
}

/** Of the help of each command and of all of them. */
export const ofHelp = (): ReadonlyArray<string> => [...Help.examples, ...commands.flatMap(({ examples }) => examples)]

/** The lines of all blocks of a shell. */
export const ofReadme = (file: URL): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    block.split("\n").filter((line) => line.trim() !== "")
  )

const prelude = `
belay() {
  printf '%s\\0' "$@" > "$noted.args"
  if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then cat > "$noted.stdin"; fi
}
node() { if [ "$1" = apps/host-cli/dist/belay.js ]; then shift; belay "$@"; else return 9; fi; }
source() { cat > /dev/null; }
npm() { return 0; }
`

/** `cwd`: where they are typed; `home`: what `~` is. */
export const read = (
  lines: ReadonlyArray<string>,
  { cwd, home, notes }: { readonly cwd: string; readonly home: string; readonly notes: string }
): ReadonlyArray<Example> => {
  mkdirSync(notes, { recursive: true })
  const script = lines.map((line, n) => {
    const file = path.join(notes, `${n}.sh`)
    writeFileSync(file, line)
    return `( noted='${path.join(notes, String(n))}'; eval "$(cat '${file}')"; printf %s $? > "$noted.code" )\n`
  })
  spawnSync("bash", ["-c", prelude + script.join("")], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const noted = (n: number, kind: string): string | undefined => {
    const file = path.join(notes, `${n}.${kind}`)
    return existsSync(file) ? readFileSync(file, "utf8") : undefined
  }
  return lines.map((line, n) => ({
    line,
    args: noted(n, "args")?.split("\0").slice(0, -1),
    stdin: noted(n, "stdin"),
    code: Number(noted(n, "code") ?? "9")
  }))
}
