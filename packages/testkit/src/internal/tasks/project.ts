/** What the projects of the everyday tasks and the answers in them are made of. */
import type { Answer, BlockSpec } from "../../Scenario.ts"

export type Files = Readonly<Record<string, string>>

/** Runs without a sandbox and asks for nothing. */
export const freely = ["--approvals", "all", "--sandbox", "off"]

export const call = (name: string, input: object): BlockSpec => ({ type: "tool_use", name, input })

export const answer = (text: string, ...calls: ReadonlyArray<BlockSpec>): Answer => ({
  content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls]
})

export const read = (path: string, lines?: readonly [from: number, to: number]): BlockSpec =>
  call("read_file", { path, ...(lines === undefined ? {} : { start_line: lines[0], end_line: lines[1] }) })

/** One place of a file. */
export const replace = (path: string, from: string, to: string): BlockSpec =>
  call("replace_in_file", { path, diff: `------- SEARCH\n${from}\n=======\n${to}\n+++++++ REPLACE` })

export const write = (path: string, content: string): BlockSpec => call("write_to_file", { path, content })

export const run = (command: string): BlockSpec => call("execute_command", { command })

export const completes = (result: string): Answer => answer("", call("attempt_completion", { result }))

/** Prints a line for each check and ends with 1 when one has failed. */
const runner = `import { readdirSync } from "node:fs"

let failed = 0
const is = (name, actual, expected) => {
  const ok = Object.is(actual, expected)
  if (!ok) failed++
  console.log(ok ? \`ok \${name}\` : \`FAIL \${name}: \${actual} instead of \${expected}\`)
}
const wanted = process.argv.slice(2)
for (const file of readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".check.js")).sort()) {
  if (wanted.length > 0 && !wanted.includes(file)) continue
  const { check } = await import(new URL(file, import.meta.url).href)
  check(is)
}
console.log(failed === 0 ? "all is well" : \`\${failed} failed\`)
process.exitCode = failed === 0 ? 0 : 1
`

export const project: Files = {
  ".gitignore": "node_modules/\n",
  "README.md": "# prices\n\nWhat things cost. Checks: node test/run.js\n",
  "package.json": `${JSON.stringify({ name: "prices", private: true, type: "module", scripts: { test: "node test/run.js" } }, undefined, 2)}\n`,
  "test/run.js": runner
}
