/**
 * The sample workspace: a tiny shop with a real bug and a real test that fails because of it.
 *
 * Everything the demo writes is below one new temporary folder: the workspace and the history. The folder is kept.
 */
import * as Effect from "effect/Effect"
import { Folder } from "@belay/machine"
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

export interface Sample {
  readonly root: string
  readonly workspace: string
  /** The `BELAY_HOME` of the demo. */
  readonly home: string
}

/** What checks the workspace: run by the model in the demo, and by the demo itself at the end. */
export const testCommand = "node --test"

export const cart = "src/cart.js"
export const cartTest = "test/cart.test.js"
export const emptyTest = "test/empty.test.js"
export const readme = "README.md"

export const wrongLine = "  items.reduce((sum, item) => sum + item.price, 0)"
export const rightLine = "  items.reduce((sum, item) => sum + item.price * item.quantity, 0)"

const files: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "shop", private: true, type: "module" }, undefined, 2)}\n`,
  [cart]: `/** What a cart costs. */\nexport const total = (items) =>\n${wrongLine}\n`,
  [cartTest]: `import assert from "node:assert"
import { test } from "node:test"
import { total } from "../src/cart.js"

test("three apples at 2 each cost 6", () => {
  assert.strictEqual(total([{ name: "apple", price: 2, quantity: 3 }]), 6)
})
`
}

/** Makes the folder with the workspace in it. */
export const make: Effect.Effect<Sample> = Effect.sync(() => {
  const root = Folder.canonical(mkdtempSync(path.join(os.tmpdir(), "belay-demo-")))
  const workspace = path.join(root, "shop")
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(workspace, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return { root, workspace, home: path.join(root, "history") }
})

/** The text of a file of the workspace; empty when there is none. */
const read = (sample: Sample, name: string): string => {
  try {
    return readFileSync(path.join(sample.workspace, name), "utf8")
  } catch {
    return ""
  }
}

/** No file is other than it was made. */
export const isUntouched = (sample: Sample): boolean =>
  Object.entries(files).every(([name, content]) => read(sample, name) === content) &&
  read(sample, readme) === "" &&
  read(sample, emptyTest) === ""

/** The fix is in, and both files that were asked for are there. */
export const isFinished = (sample: Sample): boolean =>
  read(sample, cart).includes(rightLine) && read(sample, readme) !== "" && read(sample, emptyTest) !== ""
