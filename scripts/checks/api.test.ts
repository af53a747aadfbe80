import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { apiFile, apiOf, checkApi } from "./api.ts"

let root = ""
const manifest = {
  name: "@belay/sums",
  exports: { ".": { types: "./dist/index.d.ts", "@belay/source": "./src/index.ts" }, "./internal/*": null }
}
const sums = `/** Adds. */
export declare const add: (a: number, b: number) => number;
declare const Sums_base: Service<{
    /** Of all. */
    readonly total: number;
}>;
/** Knows all sums. */
export declare class Sums extends Sums_base {
}
`

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "belay-api-"))
})
afterEach(() => rmSync(root, { recursive: true }))

const owner = () => ({
  id: "sums",
  kind: "packages" as const,
  folder: path.join(root, "packages", "sums"),
  name: manifest.name,
  manifest
})

const write = (file: string, text: string): void => {
  const to = path.join(owner().folder, file)
  mkdirSync(path.dirname(to), { recursive: true })
  writeFileSync(to, text)
}

const build = (declarations: string): void => {
  write("package.json", JSON.stringify(manifest))
  write("src/index.ts", "")
  write("dist/index.d.ts", 'export * as Sums from "./Sums.ts";\n')
  write("dist/Sums.d.ts", declarations)
}

describe("the public API in the repository", () => {
  it("names entries, declarations and what services offer, and no comments", () => {
    build(sums)
    assert.strictEqual(
      apiOf(owner()),
      `# The public API of @belay/sums. \`npm run api\` writes it.

## @belay/sums: src/index.ts
export * as Sums from "./Sums.ts"

### src/Sums.ts
export declare class Sums extends Sums_base {
}
Sums_base: Service<{
    readonly total: number;
}>
export declare const add: (a: number, b: number) => number;
`
    )
  })

  it("has to be changed with the API, and not with its comments", () => {
    build(sums)
    writeFileSync(apiFile(owner()), apiOf(owner()))
    build(sums.replace("Adds.", "Adds two numbers."))
    assert.deepStrictEqual(checkApi(root), [])
    build(sums.replace("b: number", "b?: number"))
    assert.deepStrictEqual(checkApi(root), [
      "packages/sums/api.txt is not the API of @belay/sums, line 12 is now: export declare const add: (a: number, b?: number) => number;. Run `npm run api`."
    ])
  })
})
