// `npm run docs`: the reference of all public exports, and the documentation site of it and of the project's own texts.
//
// Guarantee: the generator is installed as `docs/site/package-lock.json` says, below that folder and nowhere else. A dead
// link fails it, in the texts and in the built pages; where there is a browser, the site is read and searched in it. The site
// lies in `docs/site/.cache/html`. SITE_BASE is the folder that it is served from, "/" by default.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { checkLinks } from "./checks/links.ts"
import { outcome, say } from "./outcome.ts"
import { writeReference } from "./reference.ts"
import { deadInSite } from "./site/built.ts"
import { browserHere, seen } from "./site/look.ts"
import { writePages } from "./site/write.ts"
import { addTally, type Tally, tallyLine } from "./tally.ts"

const run = (program: string, args: ReadonlyArray<string>, cwd: string): void => {
  const said = spawnSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1e8, shell: process.platform === "win32" })
  if (said.status !== 0) throw new Error(`${program} ${args.join(" ")} in ${cwd}:\n${said.stdout}${said.stderr}`)
}

/** The generator, installed as it is locked; once. */
const install = (folder: string): string => {
  const version = ({ packages }: { packages: Record<string, { version: string }> }): string =>
    packages["node_modules/vitepress"]?.version ?? "none"
  const [locked, installed] = [
    path.join(folder, "package-lock.json"),
    path.join(folder, "node_modules", ".package-lock.json")
  ]
  const versionIn = (file: string): string =>
    existsSync(file) ? version(JSON.parse(readFileSync(file, "utf8"))) : "none"
  if (versionIn(locked) !== versionIn(installed))
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
  return path.join(folder, "node_modules", "vitepress", "bin", "vitepress.js")
}

/** Builds the site of what was compiled last. */
export async function buildSite(root: string, base = process.env["SITE_BASE"] ?? "/"): Promise<Tally> {
  const site = path.join(root, "docs", "site")
  const to = path.join(site, ".cache")
  const html = path.join(to, "html")
  writeReference(root)
  const count = writePages(root, to, { base })
  run(process.execPath, [install(site), "build", "."], site)
  const dead = [...checkLinks(root), ...deadInSite(html, base)]
  const tally = outcome(`the site: ${count} pages without a dead link`, dead)
  const browser = browserHere()
  if (browser !== undefined) {
    const place = { folder: html, base, picture: path.join(to, "first-page.png") }
    return addTally(tally, outcome("the site in a browser", await seen(place, browser)))
  }
  say("skipped the site in a browser: there is none on PATH")
  return addTally(tally, { passed: 0, failed: 0, skipped: 1 })
}

if (process.argv[1] === import.meta.filename) {
  const tally = await buildSite(path.resolve(import.meta.dirname, ".."))
  say(tallyLine(tally))
  process.exitCode = tally.failed === 0 ? 0 : 1
}
