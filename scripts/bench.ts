/**
 * What Belay costs beside a bare `fetch` loop over the same server: numbers, not tests.
 *
 * `pnpm bench [--json] [--runs N] [--dist FOLDER]`. Everything is measured from outside, in fresh folders that are
 * removed; runs of Belay and of the floor alternate, and what is shown are medians. It builds the command line first,
 * unless `--dist` names a built one. Needs nothing but loopback. Exits with 0 whatever the figures are.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { measure } from "./bench/measure.ts"
import { render } from "./bench/report.ts"

const { values } = parseArgs({
  options: { json: { type: "boolean" }, runs: { type: "string" }, dist: { type: "string" } }
})

const root = path.resolve(import.meta.dirname, "..")

/** Into a folder of its own, so that whatever uses `dist` meanwhile is left alone. */
const build = (into: string): string => {
  const cli = path.join(root, "apps", "host-cli")
  const rolldown = path.join(root, "node_modules", "rolldown", "bin", "cli.mjs")
  const built = spawnSync(process.execPath, [rolldown, "-c", "rolldown.config.ts", "-d", into], {
    cwd: cli,
    encoding: "utf8"
  })
  if (built.status !== 0) throw new Error(`the command line could not be built: ${built.stderr}${built.stdout}`)
  // As in the package: without it Node parses each file twice to find out that it is a module.
  writeFileSync(path.join(into, "package.json"), '{ "type": "module" }')
  return into
}

const temporary = realpathSync(mkdtempSync(path.join(os.tmpdir(), "belay-bench-")))
try {
  mkdirSync(path.join(temporary, "home"))
  const dist = values.dist === undefined ? build(path.join(temporary, "dist")) : path.resolve(values.dist)
  const data = await measure({ temporary, entry: path.join(dist, "belay.js"), runs: Number(values.runs ?? 7) })
  process.stdout.write(values.json === true ? `${JSON.stringify(data, undefined, 2)}\n` : render(data))
} finally {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
}
