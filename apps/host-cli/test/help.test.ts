import { Failpoint } from "@belay/task-state/unstable"
import { assert, describe, it } from "vitest"
import * as Result from "effect/Result"
import { commands, help, parse } from "../src/CommandLine.ts"
import * as Help from "../src/cli/Help.ts"
import { belay } from "./support/cli.ts"

const none = { BELAY_HOME: "/nowhere/belay" }

describe("help", () => {
  it("of every command starts with examples, names every flag it takes, and fits 80 columns", () => {
    for (const command of commands) {
      const lines = Help.ofCommand(command).split("\n")
      assert.match(lines[0] ?? "", /^ {2}.*belay /)
      for (const line of lines) assert.isAtMost(line.length, 80, line)
      for (const flag of command.flags) {
        assert.strictEqual(
          lines.some((line) => line.startsWith(`  --${flag.name} `)),
          flag.later !== true,
          flag.name
        )
      }
    }
  })

  it("of everything lists every command; a group lists its own", () => {
    const all = help(["--help"]) ?? ""
    for (const command of commands) assert.include(all, `  ${command.path.join(" ")} `)
    const [said = "", examples = "", ...groups] = all.trimEnd().split("\n\n")
    assert.match(said, /^Belay runs .*\.$/s)
    assert.lengthOf(examples.split("\n"), 5)
    assert.deepStrictEqual(
      groups.slice(0, -1).map((group) => group.split("\n")[0]),
      ["Work", "What may run", "Models and settings", "Histories", "This program"]
    )
    for (const line of all.split("\n")) assert.isAtMost(line.length, 80, line)
    assert.strictEqual(help(["help"]), all)
    assert.notInclude(help(["task", "--help"]), "demo")
    assert.include(help(["help", "task", "show"]), "--messages")
    assert.isUndefined(help(["run", "help"]), "a prompt")
  })

  it("knows a command by the name that it had in the version before, and shows that name nowhere", () => {
    const renamed = commands.filter(({ formerly }) => formerly !== undefined)
    assert.deepStrictEqual(
      renamed.map(({ path }) => path.join(" ")),
      ["task restart"]
    )
    for (const { formerly = [], path } of renamed) {
      const parsed = Result.getOrThrow(parse([...formerly, "3f9c"]))
      assert.deepStrictEqual([parsed.command.path, parsed.args], [path, ["3f9c"]])
      assert.notInclude(help(["--help"]), formerly.join(" "))
    }
  })

  it("is printed with exit 0, and no command at all asks for a terminal", async () => {
    const [help, ofCommand, nothing, unknown] = await Promise.all([
      belay(["--help"], none),
      belay(["task", "watch", "--help"], none),
      belay([], none),
      belay(["help", "lsit"], none)
    ])
    assert.deepStrictEqual([help.code, help.stderr, ofCommand.code], [0, [], 0])
    assert.include(ofCommand.stdout.join("\n"), "--from SEQ")
    assert.deepStrictEqual([nothing.code, nothing.stdout], [2, []])
    assert.deepStrictEqual(nothing.stderr, ['belay: this needs a terminal. Use "belay run" in scripts.'])
    assert.strictEqual(unknown.code, 2)
  })
})

describe("debug failpoints", () => {
  it("prints every name, one a line", async () => {
    const { code, stdout } = await belay(["debug", "failpoints"], none)
    assert.deepStrictEqual([code, stdout], [0, [...Failpoint.names]])
  })
})
