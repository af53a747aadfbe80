/**
 * `pnpm proof:mutants [--lines N] [--seed N] [--boxes N] [--only TEXT] [--witnesses]`:
 * copies the sources that hold the model of paths, takes one rule of the model of paths out of each copy, and runs generated
 * lines against it; with `--witnesses` those come first that a test run tries.
 *
 * Prints one line a rule; exits with 1 when a rule is not found in the sources, nothing happens without it, or a line does
 * harm with all rules.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { missing } from "./Box.ts"
import type { Line } from "./Generator.ts"
import { type Mutation, mutations } from "./Mutations.ts"
import * as Oracle from "./Oracle.ts"

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    boxes: { type: "string", default: "2" },
    only: { type: "string", default: "" },
    witnesses: { type: "boolean", default: false }
  }
})

interface Once {
  readonly generated: number
  readonly found: ReadonlyArray<{ readonly line: Line; readonly harm: string }>
}

const packages = path.resolve(import.meta.dirname, "../..")
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const copy = (name: string, parts: ReadonlyArray<string>, to: string): void => {
  for (const part of [...parts, "package.json"]) {
    fs.cpSync(path.join(packages, name, part), path.join(to, name, part), { recursive: true })
  }
}

const folders: Readonly<Record<string, ReadonlyArray<string>>> = {
  "approval-policy": ["src"],
  "git-runner": ["src"],
  "tool-executor": ["src", "proof"]
}

/** What a copied package needs: copied ones are found in the copy, all others where they are. */
const linked = (name: string, to: string): void => {
  const own = path.join(packages, name, "node_modules")
  const modules = path.join(to, name, "node_modules")
  fs.mkdirSync(path.join(modules, "@belay"), { recursive: true })
  for (const other of fs.readdirSync(own).filter((entry) => entry !== "@belay" && !entry.startsWith("."))) {
    fs.symlinkSync(path.join(own, other), path.join(modules, other))
  }
  if (!fs.existsSync(path.join(own, "@belay"))) return
  for (const other of fs.readdirSync(path.join(own, "@belay"))) {
    const real = other in folders ? path.join(to, other) : fs.realpathSync(path.join(own, "@belay", other))
    fs.symlinkSync(real, path.join(modules, "@belay", other))
  }
}

const copied = (to: string): void => {
  for (const [name, parts] of Object.entries(folders)) {
    copy(name, parts, to)
    linked(name, to)
  }
}

/** False when its text does not occur exactly once. */
const applied = ({ file, find, put }: Mutation, to: string): boolean => {
  const source = path.join(to, file)
  const text = fs.existsSync(source) ? fs.readFileSync(source, "utf8") : ""
  if (text.split(find).length !== 2) return false
  fs.writeFileSync(
    source,
    text.replace(find, () => put)
  )
  return true
}

const once = (to: string, words: ReadonlyArray<string>): Once | string => {
  const { stderr, stdout } = spawnSync(
    process.execPath,
    [
      "--conditions=@belay/source",
      path.join(to, "tool-executor/proof/once.ts"),
      `--lines=${values.lines}`,
      `--seed=${values.seed}`,
      `--boxes=${values.boxes}`,
      ...(values.witnesses ? ["--witnesses"] : []),
      ...words
    ],
    { encoding: "utf8", maxBuffer: 100_000_000 }
  )
  return stdout === "" ? stderr.slice(0, 500) : (JSON.parse(stdout) as Once)
}

/** A line that does harm without the rule, and none with all rules. */
const witness = async (to: string, site: Oracle.Site, file: string): Promise<Once | string> => {
  const known: Array<string> = []
  for (;;) {
    fs.writeFileSync(file, JSON.stringify(known))
    const seen = once(to, [`--known=${file}`])
    const first = typeof seen === "string" ? undefined : seen.found[0]
    if (first === undefined || (await Oracle.probe(site, first.line)) === undefined) return seen
    known.push(first.line.text)
    harmful.add(first.line.text)
  }
}

const harmful = new Set<string>()

const judged = async (mutation: Mutation, site: Oracle.Site): Promise<boolean> => {
  const to = fs.mkdtempSync(path.join(os.tmpdir(), "belay-mutant-"))
  try {
    copied(to)
    if (!applied(mutation, to)) {
      say(`FAILED ${mutation.name}: its text is not found once in ${mutation.file}`)
      return false
    }
    const seen = await witness(to, site, path.join(to, "known.json"))
    if (typeof seen === "string") {
      say(`FAILED ${mutation.name}: it does not run. ${seen}`)
      return false
    }
    const [first] = seen.found
    say(
      first === undefined
        ? `FAILED ${mutation.name}: nothing happened in ${seen.generated} lines`
        : `${mutation.name}: ${JSON.stringify(first.line.text)} ${first.harm} (line ${seen.generated})`
    )
    return first !== undefined
  } finally {
    fs.rmSync(to, { recursive: true, force: true })
  }
}

const absent = missing()
if (absent !== undefined) say(absent)
else {
  const site = await Oracle.open(true)
  const wanted = mutations.filter(({ name }) => name.includes(values.only))
  let noticed = 0
  for (const mutation of wanted) if (await judged(mutation, site)) noticed++
  site.box.close()
  for (const text of harmful) say(`FAILED ${JSON.stringify(text)} does harm with all rules`)
  say(`mutants | ${noticed} of ${wanted.length} noticed, ${values.lines} lines, seed ${values.seed}`)
  process.exitCode = noticed === wanted.length && harmful.size === 0 ? 0 : 1
}
