/** Each example runs and prints what the end of its file says. */
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { afterEach, assert, describe, it, vi } from "vitest"

const folder = path.resolve(import.meta.dirname, "..", "src")
const read = (name: string): string => readFileSync(path.join(folder, name), "utf8").replaceAll("\r\n", "\n")

/** Modules with an await at the top: each is loaded when its program has ended. */
const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  "checklist.ts": () => import("../src/checklist.ts"),
  "custom-host.ts": () => import("../src/custom-host.ts"),
  "custom-model.ts": () => import("../src/custom-model.ts"),
  "custom-tool.ts": () => import("../src/custom-tool.ts"),
  "policy.ts": () => import("../src/policy.ts")
}

/** What the end of a file says that it prints. */
const saidBy = (name: string): ReadonlyArray<string> => {
  const [, said] = read(name).split("\n// It prints:\n")
  return (said ?? assert.fail(`${name} does not say what it prints`))
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\/\/ /, ""))
}

afterEach(() => vi.restoreAllMocks())

describe("an example", () => {
  for (const [name, run] of Object.entries(programs)) {
    it(`runs and prints what it says: ${name}`, async () => {
      const said = vi.spyOn(console, "log").mockImplementation(() => undefined)
      await run()
      assert.deepStrictEqual(
        said.mock.calls.map(([line]) => line),
        [...saidBy(name)]
      )
    })
  }

  it("is run here, and is in the list of the README", () => {
    const names = readdirSync(folder).filter((name) => name !== "parts.ts")
    // The host is run by `httpHost.test.ts`: it ends when it is killed.
    assert.sameMembers(names, [...Object.keys(programs), "http-host.ts"])
    const readme = readFileSync(path.resolve(folder, "..", "README.md"), "utf8")
    for (const name of names) assert.include(readme, `(src/${name})`)
  })
})
