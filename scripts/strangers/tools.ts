// The programs that strangers may have: compilers, bundlers and runtimes, by exact versions.
import * as path from "node:path"
import { say } from "../outcome.ts"
import { install, type Runtime, runtimes } from "../runtimes.ts"

const older: Runtime = {
  name: "typescript",
  version: "5.9.3",
  integrity: "sha512-jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw==",
  program: "lib/tsc.js",
  suites: false
}

const esbuild: Runtime = {
  name: "@esbuild/linux-x64",
  version: "0.28.2",
  integrity: "sha512-4xTZr1FUmSoQW4XIWmit3tzQrUTZM+N3P0XV8xROKYF50XfI7xeO90+1bZvNwxIufQ9hDQVRJH5YhgPVF8A/HQ==",
  program: "bin/esbuild",
  suites: false
}

const deno: Runtime = {
  name: "@deno/linux-x64-glibc",
  version: "2.9.6",
  integrity: "sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==",
  program: "deno",
  suites: false
}

/** A program with the arguments that it always gets. */
export interface Command {
  readonly name: string
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env: NodeJS.ProcessEnv
}

export interface Tools {
  readonly runtimes: ReadonlyArray<Command>
  readonly compilers: ReadonlyArray<Command>
  /** Undefined where it could not be installed. */
  readonly esbuild: string | undefined
}

const nameOf = ({ name, version }: Runtime): string =>
  `${/bun|deno/.exec(name)?.[0] ?? /^node/.exec(name)?.[0] ?? name} ${version}`

/** What can be installed below `.tools`; of the rest it says why not. */
export const toolsOf = (root: string): Tools => {
  const programOf = (runtime: Runtime): string | undefined => {
    const found = install(path.join(root, ".tools", "runtimes"), runtime)
    if ("program" in found) return found.program
    say(`skipped ${nameOf(runtime)}: ${found.why}`)
    return undefined
  }
  const command = (name: string, program: string, ...args: ReadonlyArray<string>): Command => ({
    name,
    program,
    args,
    env: {}
  })
  const others = runtimes.flatMap((runtime) => {
    const program = programOf(runtime)
    return program === undefined ? [] : [command(nameOf(runtime), program)]
  })
  const denoProgram = programOf(deno)
  const olderProgram = programOf(older)
  const ownCompiler = path.join(root, "node_modules", ".bin", "tsc")
  return {
    runtimes: [
      command(`node ${process.versions.node}`, process.execPath),
      ...others,
      ...(denoProgram === undefined
        ? []
        : [
            {
              ...command(nameOf(deno), denoProgram, "run", "--allow-all", "--no-lock", "--node-modules-dir=manual"),
              env: { DENO_NO_UPDATE_CHECK: "1", DENO_DIR: path.join(root, ".tools", "runtimes", "deno-cache") }
            }
          ])
    ],
    compilers: [
      command("the TypeScript of this checkout", ownCompiler),
      ...(olderProgram === undefined ? [] : [command(`TypeScript ${older.version}`, process.execPath, olderProgram)])
    ],
    esbuild: programOf(esbuild)
  }
}
