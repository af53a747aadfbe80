// What comes of importing a package where it is installed: its example, its entries, their types, and a page in a browser.
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { rolldown } from "rolldown"
import type { Readme } from "./readme.ts"
import { failed, run } from "./run.ts"
import type { Command, Tools } from "./tools.ts"

/** The README's example prints what the README says. */
export async function exampleRuns(
  folder: string,
  { example, printed }: Readme,
  how: string
): Promise<ReadonlyArray<string>> {
  writeFileSync(path.join(folder, "example.ts"), example)
  const said = await run(process.execPath, ["example.ts"], folder)
  if (said.status === 0 && said.out !== printed)
    return [`the README's example, installed by ${how}, prints: ${said.out}`]
  return failed(`the README's example, installed by ${how},`, said)
}

/** Every entry loads on every runtime. */
export async function entriesLoad(
  folder: string,
  entries: ReadonlyArray<string>,
  runtimes: ReadonlyArray<Command>
): Promise<ReadonlyArray<string>> {
  writeFileSync(
    path.join(folder, "load.js"),
    entries.map((entry) => `await import(${JSON.stringify(entry)})`).join("\n")
  )
  const found: Array<string> = []
  for (const { args, env, name, program } of runtimes)
    found.push(...failed(`loading on ${name}`, await run(program, [...args, "load.js"], folder, env)))
  return found
}

/** Strict types compile with those of libraries checked, as Node and as bundlers resolve them. */
export async function typesCompile(
  root: string,
  folder: string,
  entries: ReadonlyArray<string>,
  compilers: ReadonlyArray<Command>
): Promise<ReadonlyArray<string>> {
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
    for (const { args, name, program } of compilers)
      found.push(
        ...failed(`types (${moduleResolution}, ${name})`, await run(program, [...args, "-p", "tsconfig.json"], folder))
      )
  }
  return found
}

const imported = /\bfrom\s*"(node:[^"]+)"|\bimport\s*"(node:[^"]+)"/g

/** Bundled as two bundlers resolve packages, nothing of Node is left. */
async function bundledByRolldown(page: string, conditionNames: ReadonlyArray<string>): Promise<ReadonlyArray<string>> {
  try {
    await using bundle = await rolldown({
      input: page,
      platform: "browser",
      resolve: { conditionNames: [...conditionNames] },
      onLog: (_, { code, message }) => {
        if (code === "UNRESOLVED_IMPORT") throw new Error(message)
      }
    })
    const { output } = await bundle.generate({ format: "esm" })
    const code = output.map((part) => ("code" in part ? part.code : "")).join("\n")
    return [...code.matchAll(imported)].map(([, from, only]) => `a page (rolldown) needs ${from ?? only}`)
  } catch (cause) {
    return [
      `a page (rolldown: ${conditionNames.join(", ")}): ${cause instanceof Error ? cause.message : String(cause)}`
    ]
  }
}

/** The entries for web pages are bundled by esbuild, and by rolldown with its own conditions and with those of webpack. */
export async function pagesBundle(
  folder: string,
  entries: ReadonlyArray<string>,
  { esbuild }: Tools
): Promise<ReadonlyArray<string>> {
  if (entries.length === 0) return []
  const page = path.join(folder, "page.js")
  writeFileSync(
    page,
    entries.map((entry, at) => `import * as m${at} from ${JSON.stringify(entry)}\nconsole.log(m${at})\n`).join("")
  )
  const args = ["page.js", "--bundle", "--platform=browser", "--format=esm", "--outfile=page.out.js"]
  return [
    ...(esbuild === undefined ? [] : failed("a page (esbuild)", await run(esbuild, args, folder))),
    ...(await bundledByRolldown(page, ["browser", "module", "import", "default"])),
    ...(await bundledByRolldown(page, ["webpack", "production", "browser", "module", "import", "default"]))
  ]
}
