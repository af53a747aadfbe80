// What the documents name is there.
//
// Guarantee: every file and folder of this repository that a document names in backticks or gives to a command exists, and so
// does every name of code of several words, such as `TaskHistory` or `TaskHistory.get`. A path may leave out its beginning,
// as in `loop/Turn.ts`. Links are for `links.ts`. Other code is left to the tests that run it, and built folders to the build.
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { repositoryFiles } from "./workspace.ts"

/** What there is to be named. */
export interface Named {
  /** Every file and folder, from the root and by each end of its path. */
  readonly places: ReadonlySet<string>
  readonly names: ReadonlySet<string>
}

const sourceEnd = /\.(?:tsx?|cjs)$/

export function checkNamed(root: string): ReadonlyArray<string> {
  const files = repositoryFiles(root).filter((file) => existsSync(path.join(root, file)))
  const read = (file: string): string => readFileSync(path.join(root, file), "utf8")
  const named = namedBy(files.map((file) => [file, sourceEnd.test(file) ? read(file) : ""]))
  const documents = files.filter((file) => file.endsWith(".md") && !/^\.changeset\/|\/fixtures\//.test(file))
  return documents
    .filter((file) => file !== "docs/messages.md")
    .flatMap((file) => namedViolations(read(file), named).map((violation) => `${file} ${violation}`))
}

/** Of files by their paths, with what the sources among them say. */
export function namedBy(files: ReadonlyArray<readonly [file: string, text: string]>): Named {
  const places = new Set<string>()
  for (const [file] of files) {
    for (let place = file; place !== "."; place = path.posix.dirname(place)) {
      const parts = place.split("/")
      for (let at = 0; at < parts.length; at++) places.add(parts.slice(at).join("/"))
    }
  }
  return { places, names: new Set(files.flatMap(([, text]) => text.match(/\b[A-Za-z_]\w*\b/g) ?? [])) }
}

/** "names what": for each that is not there. */
export function namedViolations(text: string, { names, places }: Named): ReadonlyArray<string> {
  const [said = ""] = text.replace(/^ *```.*?^ *```/gms, "").split(/^## Retired names$/m)
  const spans = [...said.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span)
  const given = [...text.matchAll(/^```sh$(.*?)^```/gms)].flatMap(([, commands = ""]) => commands.split(/\s+/))
  const lost = [...new Set([...spans, ...given])].filter((span) => {
    if (isPlace(span, places)) return !places.has(span.replace(/\/$/, ""))
    return isName(span) && !span.split(".").every((name) => names.has(name))
  })
  return lost.map((span) => `names ${span}, which is not there.`)
}

/** A source, or what begins with a folder of this repository. */
function isPlace(span: string, places: ReadonlySet<string>): boolean {
  if (!/^[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)*\/?$/.test(span) || span.split("/").includes("dist")) return false
  const [first = ""] = span.split("/")
  return sourceEnd.test(span) || (span.includes("/") && places.has(`packages/${first}`)) || isTop(span, places)
}

function isTop(span: string, places: ReadonlySet<string>): boolean {
  const [first = ""] = span.split("/")
  return ["apps", "packages", "scripts", "docs", "examples"].includes(first) && span.includes("/") && places.has(first)
}

/** Of several words, in the way of types and services. */
function isName(span: string): boolean {
  return /^[A-Z][a-z]+[A-Z]\w*(?:\.\w+)*$/.test(span)
}
