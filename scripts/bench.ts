/**
 * What Belay costs beside a bare `fetch` loop over the same server, and whether it keeps its limits (docs/performance.md).
 *
 * `pnpm bench [--json] [--runs N] [--dist FOLDER] [--only PART[,PART]] [--peers] [--table FILE]`. Everything is measured from
 * outside, in fresh folders that are removed; runs of Belay and of the floor alternate, and what is shown are medians. It
 * builds the command line first, unless `--dist` names a built one. `--table` writes the figures into the document of that
 * name, between its marks. `--peers` first installs other agents into the cache of the user, where they are not yet: what
 * is there is measured beside Belay. Else needs nothing but loopback. Exits with 1 when a limit is passed.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { type Data, isOver, markdown, render } from "./bench/figures/report.ts"
import { measure, parts } from "./bench/parts.ts"
import { writeFiles } from "./bench/programs/workload.ts"
import * as Peers from "./bench/terminal/peers.ts"

const { values } = parseArgs({
  options: {
    json: { type: "boolean" },
    runs: { type: "string" },
    dist: { type: "string" },
    only: { type: "string" },
    peers: { type: "boolean" },
    table: { type: "string" }
  }
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
  return into
}

/** The names of the parts that are asked for. */
const chosen = (): ReadonlyArray<string> => {
  const names = values.only?.split(",") ?? Object.keys(parts)
  const unknown = names.find((name) => parts[name] === undefined)
  if (unknown !== undefined)
    throw new Error(`there is no part "${unknown}"; there are ${Object.keys(parts).join(", ")}`)
  return names
}

const begins = "<!-- figures: made by `pnpm bench --table docs/performance.md` -->\n"
const ends = "<!-- figures end -->\n"

/** The document with the figures between its marks. */
const withTable = (text: string, table: string): string => {
  const from = text.indexOf(begins)
  const to = text.indexOf(ends)
  if (from === -1 || to < from) throw new Error(`the document has no lines "${begins.trim()}" and "${ends.trim()}"`)
  return `${text.slice(0, from + begins.length)}\n${table}\n${text.slice(to)}`
}

const names = chosen()
const missing = values.peers === true ? Peers.install() : []
const temporary = realpathSync(mkdtempSync(path.join(os.tmpdir(), "belay-bench-")))
try {
  const cwd = path.join(temporary, "workspace")
  mkdirSync(path.join(temporary, "home"))
  mkdirSync(cwd)
  writeFiles(cwd)
  const dist = values.dist === undefined ? build(path.join(temporary, "dist")) : path.resolve(values.dist)
  const runs = Number(values.runs ?? 7)
  const before = os.loadavg()[0] ?? 0
  const measured = await measure(names, { temporary, entry: path.join(dist, "belay.js"), cwd, runs })
  const data: Data = {
    figures: measured.figures,
    skipped: [...missing, ...measured.skipped],
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processors: os.availableParallelism(),
    load: [before, os.loadavg()[0] ?? 0],
    runs
  }
  if (values.table !== undefined) {
    writeFileSync(values.table, withTable(readFileSync(values.table, "utf8"), markdown(data)))
  }
  process.stdout.write(values.json === true ? `${JSON.stringify(data, undefined, 2)}\n` : render(data))
  process.exitCode = isOver(data) ? 1 : 0
} finally {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
}
