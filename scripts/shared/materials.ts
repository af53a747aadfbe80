import { readFileSync } from "node:fs"
import path from "node:path"
import { assert } from "vitest"

interface Component {
  readonly "bom-ref": string
  readonly name: string
  readonly group?: string
  readonly [field: string]: unknown
}

const component = /^(?:type|bom-ref|group|name|version|hashes|licenses|purl)$/
const purl = /^pkg:(?:npm|github)\/[A-Za-z0-9%._/-]+(?:@[A-Za-z0-9.+-]+)?$/
const spdx = /^[A-Za-z0-9.+-]+$/

const assertComponent = (one: Component, type: string): void => {
  for (const field of Object.keys(one)) assert.match(field, component)
  assert.strictEqual(one["type"], type)
  assert.match(String(one["purl"]), purl)
  for (const { expression, license } of one["licenses"] as ReadonlyArray<any>) {
    assert.isTrue(expression !== undefined || spdx.test(license.id), one.name)
  }
  for (const { alg, content } of (one["hashes"] ?? []) as ReadonlyArray<any>) {
    assert.strictEqual(alg, "SHA-512")
    assert.match(content, /^[a-f0-9]{128}$/)
  }
}

/** As https://cyclonedx.org/schema/bom-1.6.schema.json has it, for the fields that we use. */
export const assertMaterials = (bom: any): void => {
  const fields = ["$schema", "bomFormat", "specVersion", "version", "metadata", "components", "dependencies"]
  assert.deepStrictEqual(Object.keys(bom), fields)
  assert.deepStrictEqual([bom.bomFormat, bom.specVersion, bom.version], ["CycloneDX", "1.6", 1])
  assert.deepStrictEqual(Object.keys(bom.metadata), ["component"])
  assertComponent(bom.metadata.component, "application")
  for (const one of bom.components) assertComponent(one, "library")
  const refs = [bom.metadata.component, ...bom.components].map((one: Component) => one["bom-ref"])
  assert.strictEqual(new Set(refs).size, refs.length)
  assert.deepStrictEqual(
    bom.dependencies.map(({ ref }: { readonly ref: string }) => ref),
    refs
  )
  assert.deepStrictEqual(bom.dependencies[0].dependsOn, refs.slice(1))
}

const namesIn = (bom: { readonly components: ReadonlyArray<Component> }): ReadonlyArray<string> =>
  bom.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`))

/** What the packages of this repository that a host is made of depend on, found without any bundle. */
const dependenciesOf = (app: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const packages = ["approval-policy", "checkpoints", "history-store", "model-client", "task-engine", "tool-executor"]
  for (const name of packages) {
    const manifest = path.join(app, "..", "..", "packages", name, "package.json")
    for (const of of Object.keys(JSON.parse(readFileSync(manifest, "utf8")).dependencies ?? {})) found.add(of)
  }
  return new Set([...found, "effect"].filter((name) => !name.startsWith("@belay/") && name !== "@vscode/ripgrep"))
}

/** The notices and the bill of materials beside the bundle of a host; `further`: what only this host has. */
export const assertNotices = (app: string, dist: string, further: ReadonlyArray<string>): void => {
  const text = readFileSync(path.join(dist, "THIRD-PARTY-NOTICES.txt"), "utf8")
  const written = readFileSync(path.join(dist, "sbom.cdx.json"), "utf8")
  const bom = JSON.parse(written)
  assertMaterials(bom)
  for (const name of [...dependenciesOf(app), ...further]) assert.include(namesIn(bom), name)
  for (const one of bom.components as ReadonlyArray<Component>) {
    const name = one.group === undefined ? one.name : `${one.group}/${one.name}`
    const version = typeof one["version"] === "string" ? ` ${one["version"]}` : ""
    assert.include(text, `\n${name}${version} (`)
  }
  const root = path.resolve(app, "..", "..")
  assert.notInclude(text + written, root)
  assert.notMatch(written, /\d{4}-\d\d-\d\dT/)
}
