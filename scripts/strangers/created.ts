// What `npm create belay` makes, as a stranger meets it: made by the packed program, installed, compiled and run.
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { problemsOf } from "../checks/published.ts"
import type { WorkspacePackage } from "../checks/workspace.ts"
import { failed, run } from "./run.ts"
import type { Place } from "./tried.ts"

/** What each template is there for, as the last line that its program prints without a key; one that serves has none. */
const printed: Readonly<Record<string, string | undefined>> = {
  // Nobody is at the input, so that it is denied.
  task: "The greeting is written.",
  tool: "It runs on staging.",
  host: undefined,
  effect: "Take a coat."
}

const npmInstall = ["install", "--no-audit", "--no-fund", "--loglevel=error"]

/** One sentence for each thing that is wrong with the program or a project of its. */
export async function created(
  { registry, to }: Place,
  { manifest }: WorkspacePackage,
  tarball: Uint8Array
): Promise<ReadonlyArray<string>> {
  const folder = path.join(to, "created")
  mkdirSync(folder)
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n')
  writeFileSync(path.join(folder, "create-belay.tgz"), tarball)
  const found = [...(await problemsOf(tarball, manifest, false))]
  const installed = await run("npm", [...npmInstall, "--offline", "./create-belay.tgz"], folder)
  if (installed.status !== 0) return [...found, ...failed("npm install of the tarball, offline", installed)]
  const program = path.join(folder, "node_modules", ".bin", "create-belay")
  for (const [name, last] of Object.entries(printed)) {
    const made = await run(program, [name, "--template", name], folder)
    found.push(...failed(`create-belay --template ${name}`, made))
    const project = path.join(folder, name)
    if (made.status !== 0) continue
    writeFileSync(path.join(project, ".npmrc"), `@belay:registry=${registry}\n`)
    const npm = (...args: ReadonlyArray<string>) => run("npm", args, project, { ANTHROPIC_API_KEY: undefined })
    const ready = await npm(...npmInstall)
    found.push(...failed(`${name}: npm install`, ready))
    if (ready.status !== 0) continue
    found.push(...failed(`${name}: npm run check`, await npm("run", "check")))
    if (name === "tool") found.push(...failed(`${name}: npm test`, await npm("test")))
    if (last === undefined) continue
    const said = await npm("start")
    found.push(...failed(`${name}: npm start`, said))
    if (said.status === 0 && !said.out.endsWith(`${last}\n`)) found.push(`${name}: npm start prints: ${said.out}`)
  }
  return found
}
