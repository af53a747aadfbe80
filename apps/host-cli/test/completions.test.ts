import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { commands } from "../src/CommandLine.ts"
import { complete } from "../src/Completion.ts"
import * as Built from "./support/Built.ts"
import { folder } from "./support/cli.ts"
import { id, owner, started } from "./support/states.ts"

const values = async (...words: ReadonlyArray<string>) =>
  (await Effect.runPromise(complete(words))).map(({ value }) => value)

describe("completion", () => {
  it("knows every command and every flag of the table", async () => {
    for (const { flags, path: name } of commands) {
      assert.include(await values(...name), name.at(-1))
      assert.sameMembers(
        [...(await values(...name, "--"))],
        flags.map((flag) => `--${flag.name}`)
      )
    }
    assert.deepStrictEqual(await values("task", "res"), ["resume", "restart", "restore"])
    assert.deepStrictEqual(await values("run", "--mode", ""), ["plan", "act"])
    assert.deepStrictEqual(await values("run", "--mode", "act", "--mod"), ["--model"])
    assert.deepStrictEqual(await values("config", "set", "budget.maxC"), ["budget.maxCostUsd"])
    assert.deepStrictEqual(await values("nonsense", "x"), [])
  })

  it("in bash inserts ids and paths, evaluates no title, and makes no history", async () => {
    const [home, cwd] = [folder(), folder()]
    const live = await owner(home)
    await live.commit(started(1, 'Bad "$(touch evil)" `touch evil`'))
    await live.close()
    mkdirSync(path.join(cwd, "src"))
    writeFileSync(path.join(cwd, "src", "parse.ts"), "")
    const script = `
      belay() { "$NODE" "$ENTRY" "$@"; }
      eval "$(belay completions bash)"
      try() { COMP_WORDS=(belay "$@"); COMP_CWORD=$#; _belay; echo "\${COMPREPLY[*]}"; }
      try task resume 0000; try task show la; try run look @ /src/pa; try run /deep
      BELAY_HOME="$BELAY_HOME/none" try task show 0`
    const env = { ...process.env, BELAY_HOME: home, NODE: process.execPath, ENTRY: Built.entry("cli") }
    const out = execFileSync("bash", ["-c", script], { cwd, env, encoding: "utf8" }).split("\n")
    assert.deepStrictEqual(out.slice(0, 5), [id(1).slice(-6), "last", "@/src/parse.ts", "/deep-planning", ""])
    assert.isFalse(existsSync(path.join(cwd, "evil")) || existsSync(path.join(home, "none")))
  })
})
