import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { languages } from "../../packages/tool-executor/src/workspace/files/Languages.ts"

/** Somebody else's work in what a host is published as. */
export interface Bundled {
  readonly name: string
  /** Absent where what is published does not say it, as of the grammars in one package. */
  readonly version?: string
  /** As its manifest states it, an SPDX expression. */
  readonly licence: string
  /** https://github.com/package-url/purl-spec */
  readonly purl: string
  /** Each of its files with a licence or notices, whole. */
  readonly texts: ReadonlyArray<string>
}

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string | { readonly type?: string }
}

const root = path.resolve(import.meta.dirname, "..", "..")

const legal = /^(?:un)?licen[cs]e(?:[.-].*)?$|^copying(?:[.-].*)?$|^notice(?:[.-].*)?$|^third[-_]?party.*$/i

const textsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && legal.test(entry.name) && !/\.(?:[cm]?[jt]s|json|map)$/i.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .map((name) => readFileSync(path.join(folder, name), "utf8").replaceAll("\r\n", "\n").trim())
    .filter((text) => text !== "")

const licenceOf = ({ license }: Manifest): string => (typeof license === "string" ? license : (license?.type ?? ""))

/** The package that a module belongs to: the nearest manifest with a name and a version. */
const folderOf = (module: string): string | undefined => {
  for (let folder = path.dirname(module); path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    const manifest = path.join(folder, "package.json")
    if (!existsSync(manifest)) continue
    const { name, version }: Manifest = JSON.parse(readFileSync(manifest, "utf8"))
    if (name !== undefined && version !== undefined) return folder
  }
  return undefined
}

/** A text that is kept here for a package that is published without one. */
const keptText = (name: string): ReadonlyArray<string> => {
  const file = path.join(root, "notices", `${name.replace("@", "").replace("/", "-")}.txt`)
  return existsSync(file) ? [readFileSync(file, "utf8").trim()] : []
}

const bundledIn = (folder: string): Bundled => {
  const manifest: Manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"))
  const { name = "", version = "" } = manifest
  const own = textsIn(folder)
  const texts = own.length > 0 ? own : keptText(name)
  return { name, version, licence: licenceOf(manifest), purl: `pkg:npm/${name.replace("@", "%40")}@${version}`, texts }
}

/** Fails with one line for what does not say under which terms it may be passed on. */
export const check = (bundled: ReadonlyArray<Bundled>): void => {
  const silent = bundled.filter(({ licence, texts }) => texts.length === 0 || licence === "")
  if (silent.length === 0) return
  const shown = silent.map(({ licence, name, version }) => `${name}@${version} (${licence || "no licence"})`).join(", ")
  throw new Error(`bundled without a licence text: ${shown}. Put the text into notices/<name>.txt, or leave it out.`)
}

const isOurs = ({ name }: Bundled): boolean => name.startsWith("@belay/")

const order = ({ name, version = "" }: Bundled): string => `${name} ${version}`

/** The packages of these modules, ours left out, each once, in the order of their names. */
export const packagesOf = (modules: Iterable<string>): ReadonlyArray<Bundled> => {
  const folders = new Map<string, Bundled | undefined>()
  for (const id of modules) {
    // What the bundler makes itself stands for the bundler, whose code it is.
    const module = id.startsWith("\0rolldown/")
      ? createRequire(import.meta.url).resolve("rolldown/package.json")
      : id.replace(/^\0/, "").replace(/[?#].*$/, "")
    if (!path.isAbsolute(module)) continue
    const folder = folderOf(module)
    if (folder === undefined || folder === root || folders.has(folder)) continue
    const isWorkspace = !folder.includes(`${path.sep}node_modules${path.sep}`) && folder.startsWith(root + path.sep)
    folders.set(folder, isWorkspace ? undefined : bundledIn(folder))
  }
  const found = [...folders.values()].filter((one) => one !== undefined && !isOurs(one))
  const byName = new Map(found.map((one) => [order(one!), one!]))
  return [...byName.values()].sort((left, right) => (order(left) < order(right) ? -1 : 1))
}

/** What a package carries compiled into its own files, without saying so in its archive. */
const carried: Readonly<Record<string, Pick<Bundled, "name" | "licence" | "purl">>> = {
  unpdf: { name: "pdfjs-dist", licence: "Apache-2.0", purl: "pkg:npm/pdfjs-dist" }
}

/** Of these packages. */
export const carriedBy = (bundled: ReadonlyArray<Bundled>): ReadonlyArray<Bundled> =>
  bundled.flatMap(({ name }) => {
    const inside = carried[name]
    return inside === undefined ? [] : [{ ...inside, texts: keptText(inside.name) }]
  })

/** The files of grammars that are copied beside a bundle, and what they were compiled from. */
export const grammarPackages = (): ReadonlyArray<Bundled> => {
  const { resolve } = createRequire(path.join(root, "packages", "tool-executor", "package.json"))
  const carriers = ["@vscode/tree-sitter-wasm", "web-tree-sitter"].map((name) => folderOf(resolve(name)) ?? "")
  const names = new Set(Object.values(languages).map(({ grammar }) => (grammar === "tsx" ? "typescript" : grammar)))
  const grammars = [...names].map((grammar): Bundled => {
    const name = `tree-sitter-${grammar}`
    return { name, licence: "MIT", purl: `pkg:github/tree-sitter/${name}`, texts: keptText(name) }
  })
  return [...carriers.map(bundledIn), ...grammars]
}
