/**
 * Runs in the box: makes the tree, takes a command a line on stdin, runs it with the executor's shell and says, one JSON a
 * line, what has changed and which canaries were shown. Then the tree is as it was. Stands alone: node only.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { createInterface } from "node:readline"
import { Kept } from "./Image.ts"
import { build, canaries, firedOf } from "./Tree.ts"

/** In milliseconds. */
const longest = 1500
const mostOutput = 1_000_000

interface Command {
  readonly text: string
  readonly cwd: string
  readonly env: Record<string, string>
}

const root = process.argv[2] ?? ""

/** Also of a text that was turned round, wrapped, or put into other letters. */
const held = (content: string): ReadonlyArray<string> => {
  const plain = content.toLowerCase().replace(/\s+/g, "")
  return Object.entries(canaries).flatMap(([name, word]) => {
    const spellings = [word, word.split("").toReversed().join(""), Buffer.from(word).toString("hex")]
    return spellings.some((spelling) => plain.includes(spelling)) ? [name] : []
  })
}

const run = async ({ cwd, env, text }: Command): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const child = spawn("/usr/bin/bash", ["--noprofile", "--norc", "-p", "-c", "--", text], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  const add = (chunk: Buffer) => {
    if (output.length < mostOutput) output += chunk.toString()
  }
  child.stdout.on("data", add)
  child.stderr.on("data", add)
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL")
    } catch {
      // It has ended.
    }
  }
  const timer = setTimeout(end, longest)
  child.on("error", () => resolve(output))
  child.on("close", () => {
    clearTimeout(timer)
    end()
    resolve(output)
  })
  return promise
}

const observe = async (kept: Kept, command: Command): Promise<object> => {
  const output = await run(command)
  const changes = kept.settle()
  return {
    shown: held(output),
    output: output.slice(0, 400),
    fired: changes.some((change) => change.path === firedOf(root)),
    changes: changes
      .filter((change) => change.path !== firedOf(root))
      .map(({ content, kind, path, what }) => ({ path, what, kind, holds: held(content?.toString("latin1") ?? "") }))
  }
}

build(root)
const kept = new Kept([root, "/tmp"], [root])
// Nobody outside reads the tree before it is whole.
fs.writeSync(1, `${JSON.stringify("ready")}\n`)
for await (const line of createInterface({ input: process.stdin })) {
  fs.writeSync(1, `${JSON.stringify(await observe(kept, JSON.parse(line) as Command))}\n`)
}
