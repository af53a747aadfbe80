import { assert, describe, it } from "vitest"
import { platformReads } from "./platform.ts"

const reads = (source: string): boolean => platformReads(source, "ts").length > 0

describe("the check on the platform", () => {
  it("finds what a module reads while it is loaded", () => {
    for (const source of [
      'const isWindows = process.platform === "win32"',
      "export const places = { sep: path.sep }",
      'const [a] = [process.platform === "darwin" ? 1 : 2]',
      "class A { static name = os.platform() }",
      "if (process.platform) run()",
      "const parts = split(\n  path.delimiter\n)"
    ]) {
      assert.isTrue(reads(source), source)
    }
  })

  it("leaves what a function reads when it is called", () => {
    for (const source of [
      "const isWindows = () => process.platform",
      "function a() { return path.sep }",
      "const a = (platform = process.platform) => platform",
      "const host = { get platform() { return process.platform } }",
      "class A { name = path.sep; of() { return process.platform } }",
      "const said = 'process.platform'"
    ]) {
      assert.isFalse(reads(source), source)
    }
  })
})
