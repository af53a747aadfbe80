/**
 * The types of the bundle: the declarations of all modules that its entry names, each beside the others, and of nothing else.
 *
 * Guarantee: what a type names is one of our own modules. An import of a library, Effect above all, fails the build: who
 * installs this package has none.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { isolatedDeclarationSync } from "rolldown/experimental"

const root = path.resolve(import.meta.dirname, "../..")

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly "@belay/source"?: string } | null>>
}

/** The source of an entry of one of our packages. */
const sourceOf = (specifier: string): string => {
  const [, name = "", ...rest] = specifier.split("/")
  const folder = path.join(root, "packages", name)
  const { exports }: Manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"))
  const source = exports[[".", ...rest].join("/")]?.["@belay/source"]
  if (source === undefined) throw new Error(`${specifier} has no source`)
  return path.join(folder, source)
}

const named = /(\bfrom\s+|\bimport\(\s*)"([^"]+)"/g

/** Writes them below a folder, where they lie in the repository. */
export const writeTypes = (entry: string, folder: string): void => {
  const pending = [path.resolve(entry)]
  const done = new Set<string>()
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (done.has(file)) continue
    done.add(file)
    const shown = path.relative(root, file)
    const { code, errors } = isolatedDeclarationSync(shown, readFileSync(file, "utf8"), { stripInternal: false })
    if (errors.length > 0)
      throw new Error(`${shown} does not say its types: ${errors.map((e) => e.message).join("; ")}`)
    const text = code.replace(named, (_, keyword: string, specifier: string) => {
      const isOwn = specifier.startsWith("@belay/")
      if (!isOwn && !specifier.startsWith(".")) throw new Error(`${shown} names ${specifier} in a public type`)
      const target = isOwn ? sourceOf(specifier) : path.resolve(path.dirname(file), specifier)
      pending.push(target)
      const relative = path.relative(path.dirname(file), target).replaceAll(path.sep, "/").replace(/\.ts$/, ".js")
      return `${keyword}"${relative.startsWith(".") ? relative : `./${relative}`}"`
    })
    const to = path.join(folder, shown.replace(/\.ts$/, ".d.ts"))
    mkdirSync(path.dirname(to), { recursive: true })
    writeFileSync(to, text)
  }
}
