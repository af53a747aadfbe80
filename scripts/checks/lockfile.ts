// The lockfile serves Linux, macOS and Windows: every native tool has a package for each of the six platforms.
//
// pnpm drops a platform package that its registry does not have without a word; this check does not.
import { readFileSync } from "node:fs"
import * as path from "node:path"

const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64"] as const
type Platform = (typeof platforms)[number]

/** Names with the C library or compiler in them, as napi-rs makes them. */
const napi = (platform: Platform): string =>
  platform.startsWith("linux") ? `${platform}-gnu` : platform.startsWith("win32") ? `${platform}-msvc` : platform

const turbo: Readonly<Record<Platform, string>> = {
  "linux-x64": "linux-64",
  "linux-arm64": "linux-arm64",
  "darwin-x64": "darwin-64",
  "darwin-arm64": "darwin-arm64",
  "win32-x64": "windows-64",
  "win32-arm64": "windows-arm64"
}

interface Native {
  readonly tool: string
  readonly platformPackage: (platform: Platform) => string
  /** The first major version that is native; those before it are JavaScript. */
  readonly since?: number
  /** Set where the registry has no more: what needs the tool must say so on the other platforms. */
  readonly onlyOn?: ReadonlyArray<Platform>
}

const natives: ReadonlyArray<Native> = [
  { tool: "typescript", platformPackage: (p) => `@typescript/typescript-${p}`, since: 7 },
  { tool: "turbo", platformPackage: (p) => `@turbo/${turbo[p]}` },
  { tool: "rolldown", platformPackage: (p) => `@rolldown/binding-${napi(p)}` },
  { tool: "lightningcss", platformPackage: (p) => `lightningcss-${napi(p)}` },
  { tool: "oxlint", platformPackage: (p) => `@oxlint/binding-${napi(p)}` },
  { tool: "oxlint-tsgolint", platformPackage: (p) => `@oxlint-tsgolint/${p}` },
  { tool: "oxfmt", platformPackage: (p) => `@oxfmt/binding-${napi(p)}` },
  { tool: "oxc-parser", platformPackage: (p) => `@oxc-parser/binding-${napi(p)}` },
  { tool: "oxc-resolver", platformPackage: (p) => `@oxc-resolver/binding-${napi(p)}` },
  { tool: "@vscode/ripgrep", platformPackage: (p) => `@vscode/ripgrep-${p}` },
  { tool: "@effect/tsgo", platformPackage: (p) => `@effect/tsgo-${p}`, onlyOn: ["linux-x64"] }
]

export function checkLockfile(root: string): ReadonlyArray<string> {
  return lockfileViolations(readFileSync(path.join(root, "pnpm-lock.yaml"), "utf8"))
}

export function lockfileViolations(lockfile: string): ReadonlyArray<string> {
  const locked = lockedVersions(lockfile)
  const violations: Array<string> = []
  for (const { tool, platformPackage, onlyOn, since = 0 } of natives) {
    const versions = (locked.get(tool) ?? []).filter((version) => Number.parseInt(version, 10) >= since)
    if (versions.length === 0) violations.push(`${tool} is not in pnpm-lock.yaml.`)
    for (const version of versions) {
      for (const platform of onlyOn ?? platforms) {
        const name = platformPackage(platform)
        if (!locked.get(name)?.includes(version)) {
          violations.push(`${tool}@${version} has no ${name} in pnpm-lock.yaml: pin a version that has it.`)
        }
      }
    }
  }
  const effects = locked.get("effect") ?? []
  if (effects.length > 1) violations.push(`there is more than one effect: ${effects.join(", ")}.`)
  if (/^\s*(tarball:|resolution:.*https?:)/m.test(lockfile)) violations.push("pnpm-lock.yaml names a host.")
  return violations
}

/** The versions of each name in the `packages` section of a version 9 lockfile. */
function lockedVersions(lockfile: string): ReadonlyMap<string, ReadonlyArray<string>> {
  const section = /^packages:\n([\s\S]*?)(?=^\S)/m.exec(lockfile)?.[1] ?? ""
  const found = new Map<string, Array<string>>()
  for (const [, name, version] of section.matchAll(/^ {2}'?(@?[^@'\n]+)@([^:'(\n]+)[^\n]*:$/gm)) {
    if (name === undefined || version === undefined) continue
    found.set(name, [...(found.get(name) ?? []), version])
  }
  return found
}
