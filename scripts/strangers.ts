// What a stranger meets: each package packed, served by a registry of this process, and installed alone in an empty folder.
//
// Guarantee: nothing of this checkout is found there but TypeScript and the types of Node. With what the README says to
// install, and nothing else, by npm and by pnpm: the README's example prints what it says, every entry loads on each Node
// that is supported, and strict types compile with those of libraries checked, as Node and as bundlers resolve them.
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { workspacePackages, type WorkspacePackage } from "./checks/workspace.ts"
import { outcome, say } from "./outcome.ts"
import { serve } from "./registry.ts"
import { install, runtimes } from "./runtimes.ts"
import { addTally, emptyTally, type Tally, tallyLine } from "./tally.ts"

interface Said {
  readonly status: number | null
  readonly out: string
  readonly all: string
}

/** Without what a checkout puts into its environment. */
const run = (program: string, args: ReadonlyArray<string>, cwd: string): Promise<Said> =>
  new Promise((resolve) => {
    const env = { ...process.env, NODE_PATH: "", NODE_OPTIONS: "", NODE_NO_WARNINGS: "1" }
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    let [out, all] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      all += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      all += text
    })
    child.on("error", (cause) => resolve({ status: null, out, all: String(cause) }))
    child.on("close", (status) => resolve({ status, out, all }))
  })

/** Without where it was thrown. */
const lastLines = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^ +at /.test(line))
    .slice(-12)
    .join(" | ")

const failed = (what: string, { all, status }: Said): ReadonlyArray<string> =>
  status === 0 ? [] : [`${what} ended with ${status}: ${lastLines(all)}`]

const isPublic = ({ manifest, name }: WorkspacePackage): boolean =>
  manifest.private !== true && manifest.exports?.["."] !== undefined && name !== "@belay/host-cli"

async function packed({ folder, name }: WorkspacePackage, to: string): Promise<Uint8Array> {
  const target = path.join(to, name.replace("/", "+"))
  mkdirSync(target)
  const said = await run("pnpm", ["pack", "--pack-destination", target], folder)
  if (said.status !== 0) throw new Error(`pnpm pack failed in ${folder}: ${lastLines(said.all)}`)
  return new Uint8Array(readFileSync(path.join(target, readdirSync(target)[0] ?? "")))
}

interface Readme {
  /** What it says to install. */
  readonly names: ReadonlyArray<string>
  readonly example: string
  readonly printed: string
}

/** What a README promises; nothing where it has no example. */
const promised = (readme: string): Readme | undefined => {
  const text = readme.replaceAll("\r\n", "\n")
  const block = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(text)?.[1]
  const line = /^(?:pnpm add|npm install) (.*)$/m.exec(text)?.[1]
  const [example, printed] = [block("ts"), block("text")]
  return line === undefined || example === undefined || printed === undefined
    ? undefined
    : { names: line.trim().split(/\s+/), example, printed }
}

/** Entries that are no modules for programs: a thread, or a program of their own. */
const isProgram = (source: string | undefined): boolean => source === undefined || /worker|serve/i.test(source)

const entriesOf = ({ manifest, name }: WorkspacePackage): ReadonlyArray<string> =>
  Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) =>
    typeof target === "object" && target !== null && !isProgram((target as Record<string, string>)["default"])
      ? [path.posix.join(name, entry)]
      : []
  )

const place = (to: string, name: string, registry: string): string => {
  const folder = path.join(to, name)
  mkdirSync(folder)
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n')
  writeFileSync(path.join(folder, ".npmrc"), `@belay:registry=${registry}\n`)
  return folder
}

const example = async (folder: string, { example, printed }: Readme, how: string): Promise<ReadonlyArray<string>> => {
  writeFileSync(path.join(folder, "example.ts"), example)
  const said = await run(process.execPath, ["example.ts"], folder)
  if (said.status === 0 && said.out !== printed)
    return [`the README's example, installed by ${how}, prints: ${said.out}`]
  return failed(`the README's example, installed by ${how},`, said)
}

const types = async (root: string, folder: string, entries: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const imports = entries.map((entry, at) => `import * as m${at} from "${entry}"\nexport const v${at} = m${at}\n`)
  writeFileSync(path.join(folder, "all.ts"), imports.join(""))
  const found: Array<string> = []
  for (const [module, moduleResolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"]
  ]) {
    const compilerOptions = {
      target: "es2024",
      lib: ["es2024", "esnext.disposable", "dom"],
      module,
      moduleResolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      allowImportingTsExtensions: true,
      types: ["node"],
      typeRoots: [path.join(root, "node_modules", "@types")]
    }
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["all.ts"] }))
    const said = await run(path.join(root, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.json"], folder)
    found.push(...failed(`types (${moduleResolution})`, said))
  }
  return found
}

/** Every Node that is supported, by its name. */
const nodes = (root: string): ReadonlyMap<string, string> => {
  const found = new Map([[`Node ${process.versions.node}`, process.execPath]])
  for (const runtime of runtimes.filter(({ name }) => name.startsWith("node-"))) {
    const installed = install(path.join(root, ".tools", "runtimes"), runtime)
    if ("program" in installed) found.set(`Node ${runtime.version}`, installed.program)
  }
  return found
}

const loads = async (folder: string, entries: ReadonlyArray<string>, programs: ReadonlyMap<string, string>) => {
  const script = entries.map((entry) => `await import(${JSON.stringify(entry)})`).join("\n")
  writeFileSync(path.join(folder, "load.js"), script)
  const found: Array<string> = []
  for (const [name, program] of programs)
    found.push(...failed(`loading on ${name}`, await run(program, ["load.js"], folder)))
  return found
}

/** `only`: names of packages; all by default. What is built is there. */
export async function runStrangers(
  root: string,
  packages: ReadonlyArray<WorkspacePackage>,
  only: ReadonlyArray<string> = []
): Promise<Tally> {
  const to = mkdtempSync(path.join(tmpdir(), "belay-strangers-"))
  const all = packages.filter(isPublic)
  const tarballs: Array<Uint8Array> = []
  for (const owner of all) tarballs.push(await packed(owner, to))
  const registry = await serve(tarballs)
  let tally = emptyTally
  try {
    const programs = nodes(root)
    for (const owner of all.filter(({ name }) => only.length === 0 || only.includes(name))) {
      const readme = promised(readFileSync(path.join(owner.folder, "README.md"), "utf8"))
      const violations = readme === undefined ? ["its README has no example."] : await tried(owner, readme)
      tally = addTally(tally, outcome(`stranger ${owner.name}`, violations))
    }

    async function tried(owner: WorkspacePackage, readme: Readme): Promise<ReadonlyArray<string>> {
      const entries = entriesOf(owner)
      const byNpm = place(to, `${owner.id}-npm`, registry.url)
      const flags = ["--no-audit", "--no-fund", "--loglevel=error"]
      const npm = await run("npm", ["install", ...flags, ...readme.names], byNpm)
      const byPnpm = place(to, `${owner.id}-pnpm`, registry.url)
      const pnpm = await run("pnpm", ["add", "--ignore-scripts", ...readme.names], byPnpm)
      const found = [...failed("npm install", npm), ...failed("pnpm add", pnpm)]
      if (npm.status === 0) {
        found.push(...(await example(byNpm, readme, "npm")), ...(await loads(byNpm, entries, programs)))
        found.push(...(await types(root, byNpm, entries)))
      }
      if (pnpm.status === 0) found.push(...(await example(byPnpm, readme, "pnpm")))
      // Each has its own copy of Effect: not all at once.
      for (const folder of [byNpm, byPnpm]) rmSync(folder, { recursive: true, force: true })
      return found
    }
  } finally {
    await registry.close()
    rmSync(to, { recursive: true, force: true })
  }
  return tally
}

if (process.argv[1] === import.meta.filename) {
  const root = path.resolve(import.meta.dirname, "..")
  const only = process.argv.slice(2).map((name) => (name.startsWith("@") ? name : `@belay/${name}`))
  const tally = await runStrangers(root, workspacePackages(root), only)
  say(tallyLine(tally))
  process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1
}
