import { readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import type { Plugin } from "rolldown"
import { type Bundled, carriedBy, check, grammarPackages, packagesOf } from "./bundled.ts"
import { materials } from "./sbom.ts"

export const noticesFile = "THIRD-PARTY-NOTICES.txt"
export const materialsFile = "sbom.cdx.json"

const titleOf = ({ licence, name, version }: Bundled): string =>
  `${name}${version === undefined ? "" : ` ${version}`} (${licence})`

const rule = "=".repeat(80)

/** Each text once, under all that it holds for. */
const notices = (bundled: ReadonlyArray<Bundled>): string => {
  const holders = Map.groupBy(
    bundled.flatMap((one) => one.texts.map((text) => ({ text, title: titleOf(one) }))),
    ({ text }) => text
  )
  const sections = [...holders].map(([text, of]) => `${of.map(({ title }) => title).join("\n")}\n\n${text}\n`)
  return [
    "Belay contains the work of others. What each part is, and the terms under which it is passed on:\n",
    ...sections
  ].join(`\n${rule}\n`)
}

const unique = (bundled: ReadonlyArray<Bundled>): ReadonlyArray<Bundled> => {
  const byName = new Map(bundled.map((one) => [`${one.name} ${one.version ?? ""}`, one]))
  return [...byName.keys()].sort().flatMap((key) => byName.get(key) ?? [])
}

/**
 * Writes beside a bundle the notices of all that is in it, and its bill of materials: of everything in every bundle that
 * one host builds with this, and of the files that are `copied` beside them. A package without a licence text fails the build. The same bundle gives the same bytes.
 */
export const noticesOf = (
  host: string,
  version: string,
  folder?: string,
  copied: ReadonlyArray<string> = []
): Plugin => {
  const modules = new Set(copied)
  return {
    name: "notices",
    writeBundle: (options, bundle) => {
      const dir = folder ?? options.dir ?? "dist"
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk") for (const id of chunk.moduleIds) modules.add(id)
      }
      const packages = packagesOf(modules)
      const bundled = unique([...packages, ...carriedBy(packages), ...grammarPackages()])
      check(bundled)
      writeFileSync(path.join(dir, noticesFile), notices(bundled))
      const lock = readFileSync(path.join(import.meta.dirname, "../../pnpm-lock.yaml"), "utf8")
      const text = JSON.stringify(materials(host, version, bundled, lock), null, 2)
      writeFileSync(path.join(dir, materialsFile), `${text}\n`)
    }
  }
}
