/**
 * Everyday commands of each language with the entries of a person, in a real project, through `belay policy explain`.
 *
 * `everyday/commands.txt` has a group for each language, `# name: entry, entry`, and a command from one line to the next
 * that does not go on. What asks for good reason is in it, too: code in an argument, other places, the environment.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import * as Tree from "./everyday/tree.ts"
import { converse, folder } from "./support/cli.ts"

/** Up to the end of a here-document a command goes on. */
const split = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const line of lines) {
    const last = found.at(-1) ?? ""
    if (/<<'EOF'/.test(last) && !last.endsWith("\nEOF")) found[found.length - 1] = `${last}\n${line}`
    else found.push(line)
  }
  return found
}

const groups = readFileSync(new URL("everyday/commands.txt", import.meta.url), "utf8")
  .trim()
  .split(/^# (?=[a-z]+: )/m)
  .slice(1)
  .map((text) => {
    const [head = "", ...lines] = text.trimEnd().split("\n")
    const [name = "", entries = ""] = head.split(": ")
    return { name, allow: entries.split(", "), commands: split(lines) }
  })

const all = groups.flatMap(({ commands }) => commands)
const place = folder()
const folders = Tree.make(place)

const decided = async (approvals: (allow: ReadonlyArray<string>) => object): Promise<ReadonlyArray<any>> => {
  const running = converse(["policy", "explain", "--batch"], { BELAY_HOME: path.join(place, "none") }, place)
  for (const { allow, commands, name } of groups)
    for (const command of commands)
      running.write(
        `${JSON.stringify({ tool: "execute_command", args: { command }, cwd: folders[name], approvals: approvals(allow) })}\n`
      )
  running.endInput()
  const { stdout } = await running.exit
  return stdout.map((line) => JSON.parse(line))
}

describe("everyday commands in a real project", () => {
  it("are at least 400, of which at most 5 % ask with the entries of a person", async () => {
    const answers = await decided((allow) => ({ edit: "allow", commands: { allow } }))
    assert.isAtLeast(all.length, 400)
    assert.strictEqual(answers.length, all.length)
    const asked = all.flatMap((text, at) =>
      answers[at].decision === "allow" ? [] : [`${text}: ${answers[at].rule}: ${answers[at].reason}`]
    )
    process.stdout.write(`${all.length} everyday commands, ${((asked.length / all.length) * 100).toFixed(1)} % ask\n`)
    assert.isAtMost(asked.length / all.length, 0.05, asked.join("\n"))
  })

  it("change nothing, and run no program that changes something, where nothing is listed and edits ask", async () => {
    const answers = await decided(() => ({ edit: "ask" }))
    const changing =
      /^(?:npm|npx|pnpm|node|pytest|uv|pip|python|go (?:test|build|run)|cargo|mvn|make|cmake|rm|mv|cp|mkdir|touch|sed -i)/
    const allowed = all.filter((_, at) => answers[at].decision === "allow")
    assert.deepStrictEqual(
      allowed.filter(
        (text) =>
          changing.test(text) && !/^(?:npm (?:ls|view)|(?:node|python|cargo) --version|pip (?:list|show))/.test(text)
      ),
      []
    )
    assert.deepStrictEqual(
      allowed.filter((text) => />(?!&|\/dev\/null| \/dev\/null| ")/.test(text.replace(/'[^']*'|"[^"]*"/g, ""))),
      []
    )
  })
})
