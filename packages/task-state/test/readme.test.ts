import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("..", import.meta.url))
const blockOf = (text: string, language: string): string => {
  const start = text.indexOf(`\`\`\`${language}\n`)
  assert.isAtLeast(start, 0, `README has no ${language} block`)
  return text.slice(start + language.length + 4, text.indexOf("\n```", start) + 1)
}

it("the example of the README runs and prints what the README says", () => {
  const readme = readFileSync(`${folder}README.md`, "utf8")
  const file = `${folder}.cache/readme.ts`
  mkdirSync(`${folder}.cache`, { recursive: true })
  writeFileSync(file, blockOf(readme, "ts"))
  const printed = execFileSync(process.execPath, ["--conditions=@belay/source", file], { encoding: "utf8" })
  assert.strictEqual(printed, blockOf(readme, "text"))
})
