import type { Bundled } from "./bundled.ts"

/** What the lock file holds the contents of each package to, by `name@version`. */
const hashesIn = (lock: string): ReadonlyMap<string, string> =>
  new Map(
    [...lock.matchAll(/^ {2}'?([^'\s]+@[^'\s:(]+)'?:\n {4}resolution: \{integrity: sha512-([A-Za-z0-9+/=]+)/gm)].map(
      ([, name = "", hash = ""]) => [name, Buffer.from(hash, "base64").toString("hex")]
    )
  )

/** An expression of several licences has a form of its own. */
const licences = (licence: string) =>
  /\s/.test(licence)
    ? [{ expression: licence }]
    : [{ license: licence.startsWith("SEE ") ? { name: licence } : { id: licence } }]

const scoped = (name: string) => {
  const [group = "", own] = name.split("/")
  return own === undefined ? { name } : { group, name: own }
}

/**
 * A bill of materials: CycloneDX 1.6, without time, serial number or path, so that the same bundle has the same one.
 * https://cyclonedx.org/docs/1.6/json
 */
export const materials = (host: string, version: string, bundled: ReadonlyArray<Bundled>, lock: string) => {
  const hashes = hashesIn(lock)
  const ref = `pkg:npm/${host.replace("@", "%40")}@${version}`
  const components = bundled.map(({ licence, name, purl, version: of }) => {
    const hash = hashes.get(`${name}@${of}`)
    return {
      type: "library",
      "bom-ref": purl,
      ...scoped(name),
      ...(of === undefined ? {} : { version: of }),
      ...(hash === undefined ? {} : { hashes: [{ alg: "SHA-512", content: hash }] }),
      licenses: licences(licence),
      purl
    }
  })
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": ref,
        ...scoped(host),
        version,
        licenses: licences("Apache-2.0"),
        purl: ref
      }
    },
    components,
    dependencies: [
      { ref, dependsOn: components.map((component) => component["bom-ref"]) },
      ...components.map((component) => ({ ref: component["bom-ref"] }))
    ]
  }
}
