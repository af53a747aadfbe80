// What a stranger meets: each package packed, served by a registry of this process, and installed alone in an empty folder.
//
// Guarantee: nothing of this checkout is found there but compilers and the types of Node. With what the README says to
// install, and nothing else, by npm and by pnpm: the README's example prints what it says, every entry loads on each
// runtime, strict types compile with those of libraries checked by each compiler, as Node and as bundlers resolve them,
// and the entries for web pages are bundled by each bundler. Packages that are broken on purpose come first: each has to
// be found. A runtime or a compiler that cannot be installed is left out, and said so.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { packed } from "./checks/published.ts"
import { workspacePackages, type WorkspacePackage } from "./checks/workspace.ts"
import { outcome, say } from "./outcome.ts"
import { serve } from "./registry.ts"
import { notCaught, writeBroken } from "./strangers/broken.ts"
import { created } from "./strangers/created.ts"
import { toolsOf } from "./strangers/tools.ts"
import { tried } from "./strangers/tried.ts"
import { addTally, emptyTally, type Tally, tallyLine } from "./tally.ts"

const isPublic = ({ manifest, name }: WorkspacePackage): boolean =>
  manifest.private !== true && manifest.exports?.["."] !== undefined && name !== "@belay/host-cli"

/** `only`: names of packages; all, and the broken ones, by default. What is built is there. */
export async function runStrangers(
  root: string,
  packages: ReadonlyArray<WorkspacePackage>,
  only: ReadonlyArray<string> = []
): Promise<Tally> {
  const to = mkdtempSync(path.join(tmpdir(), "belay-strangers-"))
  const broken = writeBroken(to).filter(({ owner }) => only.length === 0 || only.includes(owner.name))
  const all = packages.filter(isPublic)
  const tarballs = new Map([...broken.map(({ owner }) => owner), ...all].map((one) => [one.name, packed(one.folder)]))
  const registry = await serve([...tarballs.values()])
  let tally = emptyTally
  try {
    const tools = toolsOf(root)
    const look = async (owner: WorkspacePackage) =>
      tried({ root, to, registry: registry.url, tools }, owner, tarballs.get(owner.name) ?? new Uint8Array())
    for (const { expected, owner } of broken) {
      const { found } = await look(owner)
      tally = addTally(tally, outcome(`strangers find out: ${owner.name}`, notCaught(expected, found)))
    }
    for (const owner of all.filter(({ name }) => only.length === 0 || only.includes(name))) {
      const { found, megabytes } = await look(owner)
      tally = addTally(tally, outcome(`stranger ${owner.name} (${megabytes.toFixed(1)} MB beside Effect)`, found))
    }
    const maker = packages.find(({ name }) => name === "create-belay")
    if (maker !== undefined && (only.length === 0 || only.includes(maker.name))) {
      const place = { root, to, registry: registry.url, tools }
      tally = addTally(tally, outcome("strangers create projects", await created(place, maker, packed(maker.folder))))
    }
  } finally {
    await registry.close()
    rmSync(to, { recursive: true, force: true })
  }
  return tally
}

if (process.argv[1] === import.meta.filename) {
  const root = path.resolve(import.meta.dirname, "..")
  const only = process.argv.slice(2).map((name) => (/^@|^create-/.test(name) ? name : `@belay/${name}`))
  const tally = await runStrangers(root, workspacePackages(root), only)
  say(tallyLine(tally))
  process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1
}
