import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

it("the example of the README runs and prints what it says", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
  const block = (language: string): string =>
    new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(readme)?.[1] ?? assert.fail(`no ${language} block`)
  const folder = new URL("../.cache/", import.meta.url)
  mkdirSync(folder, { recursive: true })
  const file = new URL("readme-example.ts", folder)
  writeFileSync(file, block("ts"))
  // execFileSync throws unless the program exits with 0
  const printed = execFileSync(process.execPath, ["--conditions=@belay/source", fileURLToPath(file)], {
    encoding: "utf8"
  })
  assert.strictEqual(printed, block("text"))
})
