import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach, assert, describe, it } from "vitest"
import { checkDrawing, drawing } from "./drawing.ts"

interface Fake {
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly exports?: Record<string, unknown>
  readonly name?: string
  readonly files: Record<string, string>
}

const made: Array<string> = []
afterEach(() => made.splice(0).forEach((root) => rmSync(root, { recursive: true })))

/** The violations of a workspace made of these packages ("packages/<id>" or "apps/<id>"). */
function violations(packages: Record<string, Fake>): ReadonlyArray<string> {
  const root = mkdtempSync(path.join(tmpdir(), "belay drawing "))
  made.push(root)
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  write("package.json", JSON.stringify({ devDependencies: { vitest: "catalog:" } }))
  for (const [folder, { files, ...manifest }] of Object.entries(packages)) {
    const exports = { ".": { default: "./dist/index.js" }, "./internal/*": null }
    write(`${folder}/package.json`, JSON.stringify({ name: `@belay/${path.basename(folder)}`, exports, ...manifest }))
    for (const [file, text] of Object.entries(files)) write(`${folder}/${file}`, text)
  }
  return checkDrawing(root)
}

const taskState: Fake = { files: { "src/index.ts": "export const a = 1" } }
const own = { "@belay/task-state": "workspace:*" }

/** The violations of one file in a package next to task-state and history-store. */
function inPackage(folder: string, text: string, manifest: Omit<Fake, "files"> = {}, file = "src/A.ts") {
  const historyStore: Fake = { files: {} }
  return violations({
    "packages/task-state": taskState,
    "packages/history-store": historyStore,
    [folder]: { ...manifest, files: { [file]: text } }
  })
}

function assertOne(found: ReadonlyArray<string>, expected: RegExp): void {
  assert.lengthOf(found, 1, found.join("\n"))
  assert.match(found[0] ?? "", expected)
}

describe("checkDrawing", () => {
  it("accepts an import that the drawing allows and package.json declares", () => {
    assert.deepStrictEqual(inPackage("packages/modes", 'import "@belay/task-state"', { dependencies: own }), [])
  })

  it("lets the extension alone import what the editor provides", () => {
    assert.deepStrictEqual(inPackage("apps/host-vscode", 'import "vscode"'), [])
    assertOne(inPackage("apps/host-cli", 'import "vscode"'), /does not declare/)
  })

  const upward = '"@belay/history-store"'
  const forms = {
    "a static import": `import { a } from ${upward}`,
    "a side-effect import": `import ${upward}`,
    "a type import": `import type { A } from ${upward}`,
    "an export from": `export * from ${upward}`,
    "a named export from": `export { a } from ${upward}`,
    "a dynamic import": `export const a = () => import(${upward})`,
    "a template import": "export const a = () => import(`@belay/history-store`)",
    "an import in a type": `export type A = import(${upward}).A`,
    "a require": `declare const require: (id: string) => unknown\nexport const a = require(${upward})`,
    "a resolve": `export const a = import.meta.resolve(${upward})`
  }
  for (const [name, text] of Object.entries(forms)) {
    it(`catches ${name} against the drawing`, () => {
      const found = inPackage("packages/modes", text, { dependencies: { "@belay/history-store": "workspace:*" } })
      assertOne(found, /^packages\/modes\/src\/A\.ts:\d imports @belay\/history-store, against the drawing/)
    })
  }

  it("does not take a comment or a string for an import", () => {
    const text = '// import "@belay/history-store"\nexport const a = \'import "@belay/history-store"\''
    assert.deepStrictEqual(inPackage("packages/modes", text), [])
  })

  it("catches an import of a computed path", () => {
    assertOne(inPackage("packages/modes", "export const a = (p: string) => import(p)"), /computed path/)
  })

  it("catches every package but effect in task-state", () => {
    const dependencies = { picomatch: "catalog:" }
    const found = violations({ "packages/task-state": { dependencies, files: { "src/A.ts": 'import "picomatch"' } } })
    assertOne(found, /imports picomatch: task-state imports effect and nothing else/)
  })

  for (const specifier of ["effect/sql", "effect/cli/Command", "effect/FileSystem", "effect/ai", "effect/rpc/Rpc"]) {
    it(`catches ${specifier} in a pure package`, () => {
      const found = inPackage("packages/modes", `import "${specifier}"`, { peerDependencies: { effect: "^4" } })
      assertOne(found, /imports the unstable effect\//)
    })
  }

  it("lets layer modules use unstable modules and Node", () => {
    const text = 'import "effect/sql"\nimport "node:fs"'
    assert.deepStrictEqual(inPackage("packages/focus-chain", text, { peerDependencies: { effect: "^4" } }), [])
  })

  it("catches Node in a pure file of a package that may use it elsewhere", () => {
    assertOne(inPackage("packages/focus-chain", 'import "node:fs"', {}, "src/Checklist.ts"), /this file is pure/)
  })

  it("catches Node in what a web view reads", () => {
    assertOne(inPackage("packages/task-engine", 'import "node:fs"', {}, "src/text.ts"), /without Node/)
  })

  it("catches a builtin without its prefix", () => {
    assertOne(inPackage("packages/focus-chain", 'import "fs/promises"'), /write node:fs\/promises/)
  })

  it("catches the effect barrel", () => {
    const found = inPackage("packages/focus-chain", 'import "effect"', { peerDependencies: { effect: "^4" } })
    assertOne(found, /barrel/)
  })

  for (const specifier of [
    "@belay/task-state/internal/a",
    "@belay/task-state/src/A.ts",
    "@belay/task-state/dist/a.js"
  ]) {
    it(`catches ${specifier}, another package's internals`, () => {
      assertOne(inPackage("packages/modes", `import "${specifier}"`, { dependencies: own }), /does not export/)
    })
  }

  it("catches a relative import that leaves the package, in tests, too", () => {
    const text = 'import "../../task-state/src/index.ts"'
    assertOne(inPackage("packages/modes", text), /leaves its package/)
    assertOne(inPackage("packages/modes", text, {}, "test/A.test.ts"), /leaves its package/)
  })

  it("catches an import that package.json does not declare", () => {
    assertOne(inPackage("packages/modes", 'import "@belay/task-state"'), /does not declare/)
    assertOne(inPackage("packages/focus-chain", 'import "picomatch"'), /does not declare/)
    const devDependencies = { picomatch: "catalog:" }
    assertOne(inPackage("packages/focus-chain", 'import "picomatch"', { devDependencies }), /does not declare/)
  })

  it("catches a dependency that nothing imports", () => {
    assertOne(inPackage("packages/modes", "export {}", { dependencies: own }), /depends on @belay\/task-state, which/)
  })

  it("catches an import of the own index and of the own package", () => {
    assertOne(inPackage("packages/modes", 'import "./index.ts"'), /its own index/)
    assertOne(inPackage("packages/modes", 'import "@belay/modes"'), /its own package/)
  })

  it("catches an import of an app", () => {
    const found = violations({
      "apps/host-cli": { files: {} },
      "packages/task-engine": { files: { "src/A.ts": 'import "@belay/host-cli"' } }
    })
    assertOne(found, /imports the app/)
  })

  it("keeps testkit out of sources and lets tests use it", () => {
    const devDependencies = { "@belay/testkit": "workspace:*" }
    const withTestkit = (file: string): ReadonlyArray<string> =>
      violations({
        "packages/testkit": { files: {} },
        "packages/modes": { devDependencies, files: { [file]: 'import "@belay/testkit"' } }
      })
    assert.deepStrictEqual(withTestkit("test/A.test.ts"), [])
    assert.match(withTestkit("src/A.ts").join("\n"), /against the drawing/)
  })

  it("catches packages that depend on each other through their tests", () => {
    const found = violations({
      "packages/task-state": {
        devDependencies: { "@belay/testkit": "workspace:*" },
        files: { "test/A.test.ts": 'import "@belay/testkit"' }
      },
      "packages/testkit": { dependencies: own, files: { "src/A.ts": 'import "@belay/task-state"' } }
    })
    assertOne(found, /depend on each other: @belay\/task-state -> @belay\/testkit -> @belay\/task-state/)
  })

  it("catches a package that is not drawn and one with another name", () => {
    assertOne(violations({ "packages/helpers": { files: {} } }), /not in the drawing/)
    assertOne(violations({ "packages/modes": { name: "modes", files: {} } }), /its name must be @belay\/modes/)
  })

  it("fails on a file that cannot be parsed", () => {
    assert.throws(() => inPackage("packages/modes", "import {"), /cannot be parsed/)
  })
})

describe("the drawing", () => {
  it("points down only", () => {
    const layers = ["core", "domain", "orchestration", "presentation", "app"]
    for (const [id, { layer, may }] of Object.entries(drawing)) {
      for (const target of may) {
        const below = layers.indexOf(drawing[target]?.layer ?? "app") < layers.indexOf(layer)
        assert.isTrue(below || (layer === "domain" && drawing[target]?.layer === "domain"), `${id} -> ${target}`)
      }
    }
  })
})
