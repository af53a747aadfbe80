import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"

/**
 * The first `ts` block of a package's README is run as a program of its own, and prints what the `text` block says.
 *
 * `test` is the URL of a test file in the package's `test` folder.
 */
export const readmeExample = (test: string): void => {
  it("the example of the README runs and prints what it says", () => {
    const readme = readFileSync(new URL("../README.md", test), "utf8").replaceAll("\r\n", "\n")
    const block = (language: string): string =>
      new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(readme)?.[1] ?? assert.fail(`no ${language} block`)
    const folder = new URL("../.cache/", test)
    mkdirSync(folder, { recursive: true })
    const file = fileURLToPath(new URL("readme-example.ts", folder))
    writeFileSync(file, block("ts"))
    // Throws unless the program exits with 0.
    const printed = execFileSync(process.execPath, ["--conditions=@belay/source", file], { encoding: "utf8" })
    assert.strictEqual(printed, block("text"))
  })
}
