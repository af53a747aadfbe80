// The test files of one package that reach a changed file of its tests.
//
// Guarantee: none that imports the file, at however many removes, or has its name in a string is left out. What nothing
// imports is started or read by its path, which no import tells: then it is all of them.
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { importsOf } from "./checks/imports.ts"
import { shown, sourceFiles } from "./checks/workspace.ts"

interface Module {
  readonly text: string
  /** The files beside the sources that it imports. */
  readonly imports: ReadonlyArray<string>
}

const isTest = (file: string): boolean => file.endsWith(".test.ts")
const isModule = (file: string): boolean => /\.[cm]?tsx?$/.test(file)

/** `changed` and what is returned are relative to the package's folder; undefined: all of them. */
export function testsThatReach(folder: string, changed: ReadonlyArray<string>): ReadonlyArray<string> | undefined {
  const all = sourceFiles(folder, "test")
  const modules = modulesOf(folder, all)
  const closures = new Map(all.map((file) => [file, closureOf(file, modules)]))
  const imported = new Set([...modules.values()].flatMap(({ imports }) => imports))
  const found = new Set<string>()
  for (const local of changed) {
    const file = path.join(folder, local)
    const changing = all.filter((module) => closures.get(module)?.has(file))
    const apart = changing.filter((module) => !isTest(module))
    if (apart.some((module) => !imported.has(module))) return undefined
    if (local.startsWith("test/") && !isModule(local)) return undefined
    const names = isModule(local) ? apart : [file]
    const reaching = all.filter((test) => {
      const closure = [...(closures.get(test) ?? [])]
      return (
        isTest(test) &&
        (closure.includes(file) || closure.some((part) => names.some((name) => isNamed(name, modules.get(part)))))
      )
    })
    if (reaching.length === 0) return undefined
    for (const test of reaching) found.add(shown(folder, test))
  }
  return [...found].toSorted()
}

/** The modules of the tests, with those outside of the package that they import. */
function modulesOf(folder: string, files: ReadonlyArray<string>): ReadonlyMap<string, Module> {
  const modules = new Map<string, Module>()
  const sources = path.join(folder, "src") + path.sep
  const waiting = [...files]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (modules.has(file)) continue
    const text = readFileSync(file, "utf8")
    const imports = importsOf(file, text)
      .flatMap(({ specifier }) =>
        specifier?.startsWith(".") ? [path.resolve(path.dirname(file ?? ""), specifier)] : []
      )
      .filter((target) => isModule(target) && !target.startsWith(sources) && existsSync(target))
    modules.set(file, { text, imports })
    waiting.push(...imports)
  }
  return modules
}

/** A module and all that it imports. */
function closureOf(file: string, modules: ReadonlyMap<string, Module>): ReadonlySet<string> {
  const closure = new Set([file])
  for (const part of closure) for (const target of modules.get(part)?.imports ?? []) closure.add(target)
  return closure
}

/** Whether a string of a module ends with the name of a file, with its ending or without. */
function isNamed(file: string, module: Module | undefined): boolean {
  const { base, name } = path.parse(file)
  const strings = module?.text.match(/["'`/][\w.-]+(?=["'`])/g) ?? []
  return strings.some((text) => [base, name].includes(text.slice(1)))
}
