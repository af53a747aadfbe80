import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const block = (text: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "msu").exec(text)?.[1] ?? ""

it("the example of the README runs and prints what it says", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
  const cache = new URL("../.cache/", import.meta.url)
  const file = fileURLToPath(new URL("readme.ts", cache))
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, block(readme, "ts"))
  const printed = execFileSync(process.execPath, ["--conditions=@belay/source", file], { encoding: "utf8" })
  assert.isNotEmpty(printed)
  assert.strictEqual(printed, block(readme, "text"))
})
