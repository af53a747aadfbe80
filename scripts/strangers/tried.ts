// One package as a stranger meets it: installed alone by npm and by pnpm, and used.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { pure } from "../checks/browser.ts"
import { problemsOf } from "../checks/published.ts"
import type { WorkspacePackage } from "../checks/workspace.ts"
import { entriesLoad, exampleRuns, pagesBundle, typesCompile } from "./imports.ts"
import { promised } from "./readme.ts"
import { failed, run } from "./run.ts"
import type { Tools } from "./tools.ts"
import { megabytesBesideEffect, tooHeavy } from "./weight.ts"

/** Where packages are installed, and from where. */
export interface Place {
  readonly root: string
  /** An empty folder outside of the checkout. */
  readonly to: string
  readonly registry: string
  readonly tools: Tools
}

/** Entries that are no modules for programs: a thread, or a program of their own. */
const isProgram = (source: string | undefined): boolean => source === undefined || /worker|serve/i.test(source)

const entriesOf = ({ manifest, name }: WorkspacePackage): ReadonlyArray<string> =>
  Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) =>
    typeof target === "object" && target !== null && !isProgram((target as Record<string, string>)["default"])
      ? [path.posix.join(name, entry)]
      : []
  )

const emptyFolder = ({ registry, to }: Place, name: string): string => {
  const folder = path.join(to, name)
  mkdirSync(folder)
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n')
  writeFileSync(path.join(folder, ".npmrc"), `@belay:registry=${registry}\n`)
  return folder
}

const npmInstall = ["install", "--no-audit", "--no-fund", "--loglevel=error"]

/** Installed with nothing but its peer: optional parts are left out. */
async function weighed(place: Place, { id, manifest, name }: WorkspacePackage) {
  const folder = emptyFolder(place, `${id}-alone`)
  const peers = "effect" in (manifest.peerDependencies ?? {}) ? ["effect"] : []
  const said = await run("npm", [...npmInstall, name, ...peers], folder)
  const megabytes = said.status === 0 ? megabytesBesideEffect(folder) : 0
  const found = [...failed("npm install of it alone", said), ...tooHeavy(name, megabytes)]
  rmSync(folder, { recursive: true, force: true })
  return { found, megabytes }
}

/** One sentence for each thing that a stranger finds wrong, and what it weighs alone in megabytes beside Effect. */
export async function tried(
  place: Place,
  owner: WorkspacePackage,
  tarball: Uint8Array
): Promise<{ readonly found: ReadonlyArray<string>; readonly megabytes: number }> {
  const { root, tools } = place
  const readme = promised(readFileSync(path.join(owner.folder, "README.md"), "utf8"))
  if (readme === undefined) return { found: ["its README has no example."], megabytes: 0 }
  const entries = entriesOf(owner)
  const pages = (pure[owner.id] ?? []).map((entry) => path.posix.join(owner.name, entry))
  const { found: heavy, megabytes } = await weighed(place, owner)
  const byNpm = emptyFolder(place, `${owner.id}-npm`)
  const npm = await run("npm", [...npmInstall, ...readme.names], byNpm)
  const byPnpm = emptyFolder(place, `${owner.id}-pnpm`)
  const pnpm = await run("pnpm", ["add", "--ignore-scripts", ...readme.names], byPnpm)
  const found = [
    ...(await problemsOf(tarball, owner.manifest)),
    ...heavy,
    ...failed("npm install", npm),
    ...failed("pnpm add", pnpm)
  ]
  if (npm.status === 0) {
    found.push(...(await exampleRuns(byNpm, readme, "npm")), ...(await entriesLoad(byNpm, entries, tools.runtimes)))
    found.push(...(await typesCompile(root, byNpm, entries, tools.compilers)))
    found.push(...(await pagesBundle(byNpm, pages, tools)))
  }
  if (pnpm.status === 0) found.push(...(await exampleRuns(byPnpm, readme, "pnpm")))
  // Each has its own copy of Effect: not all at once.
  for (const folder of [byNpm, byPnpm]) rmSync(folder, { recursive: true, force: true })
  return { found, megabytes }
}
