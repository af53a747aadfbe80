import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { rolldown } from "rolldown"
import { afterEach, assert, describe, it } from "vitest"
import { assertMaterials } from "./shared/materials.ts"
import { materialsFile, noticesFile, noticesOf } from "./shared/notices.ts"

const made: Array<string> = []
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

/** A program that takes one thing from each package; a package is its files. */
const project = (packages: Readonly<Record<string, Readonly<Record<string, string>>>>) => {
  const folder = mkdtempSync(path.join(tmpdir(), "belay-notices-"))
  made.push(folder)
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  for (const [name, files] of Object.entries(packages)) {
    for (const [file, text] of Object.entries(files)) write(`node_modules/${name}/${file}`, text)
  }
  const names = Object.keys(packages)
  write("main.js", names.map((name, at) => `import x${at} from "${name}"\nconsole.log(x${at})`).join("\n"))
  return folder
}

const build = async (folder: string) => {
  const bundle = await rolldown({
    input: path.join(folder, "main.js"),
    cwd: folder,
    logLevel: "silent",
    plugins: [noticesOf("@a/host", "1.0.0")]
  })
  const dir = path.join(folder, "dist")
  await bundle.write({ dir })
  const read = (file: string): string => readFileSync(path.join(dir, file), "utf8")
  return { notices: read(noticesFile), materials: read(materialsFile) }
}

const manifest = (name: string, license?: string): string =>
  JSON.stringify({ name, version: "1.2.3", license, main: "lib/index.js", type: "module" })

const good = {
  "package.json": manifest("good", "MIT"),
  LICENSE: "Good terms\r\n",
  "NOTICE.md": "Good notice",
  "lib/package.json": '{ "type": "module" }',
  "lib/index.js": "export default globalThis.given"
}

describe("notices of a bundle", () => {
  it("have the texts of every package that is in it, found past manifests without a name", async () => {
    const { materials, notices } = await build(project({ good }))
    assert.include(notices, "\ngood 1.2.3 (MIT)\n\nGood terms\n")
    assert.include(notices, "\ngood 1.2.3 (MIT)\n\nGood notice\n")
    const bom = JSON.parse(materials)
    assertMaterials(bom)
    assert.deepInclude(
      bom.components.find(({ name }: { readonly name: string }) => name === "good"),
      { version: "1.2.3", purl: "pkg:npm/good@1.2.3", licenses: [{ license: { id: "MIT" } }] }
    )
  })

  it("are the same bytes for the same bundle, wherever it lies", async () => {
    assert.deepStrictEqual(await build(project({ good })), await build(project({ good })))
  })

  it("fail the build for packages without a licence or its text, and name them in one line", async () => {
    const silent = { "package.json": manifest("silent", "MIT"), "lib/index.js": "export default globalThis.given" }
    const unnamed = {
      "package.json": manifest("@x/unnamed"),
      LICENSE: "Terms",
      "lib/index.js": "export default globalThis.given"
    }
    const failure = await build(project({ good, silent, "@x/unnamed": unnamed })).then(
      () => "",
      (cause: unknown) => String(cause)
    )
    assert.match(
      failure,
      /bundled without a licence text: @x\/unnamed@1\.2\.3 \(no licence\), silent@1\.2\.3 \(MIT\)\. /
    )
    assert.notInclude(failure, "good@")
  })
})
