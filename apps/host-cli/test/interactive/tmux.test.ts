/** In a real tmux, which resizes its window first and tells the program later. */
import { ScriptedServer } from "@belay/testkit"
import { assert, beforeAll, describe, it } from "vitest"
import { afterwards } from "../support/afterwards.ts"
import { folder } from "../support/cli.ts"
import { says } from "../support/Interactive.ts"
import * as Tmux from "../support/Tmux.ts"

beforeAll(Tmux.install, 120_000)

const lines = 100
const numbered = Array.from({ length: lines }, (_, n) => `Line ${n} of it.`).join("\n")

const opened = async (columns: number, rows: number) => {
  const answers = [{ ...says(`${numbered}\n\nThe end.`), delayMs: 10 }]
  const server = await ScriptedServer.startServer({ tasks: [{ match: { prompt: "Work" }, shared: true, answers }] })
  afterwards(() => server.close())
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  return Tmux.open(env, folder(), { columns, rows })
}

const sizes = "100x30 60x20 150x50 80x24 47x15 120x40 90x22 140x33 66x44 110x28 73x19 100x40".split(" ").map((size) => {
  const [columns = 80, rows = 24] = size.split("x").map(Number)
  return { columns, rows }
})

describe("in tmux", () => {
  // It is told of a new size after the window has it: a race, which is run three times.
  it.each([1, 2, 3])("shows each line and its facts once after twelve sizes while an answer streams (%s)", async () => {
    const tmux = await opened(120, 40)
    await tmux.seen(/\? keys/)
    tmux.type("Work")
    tmux.key("Enter")
    for (const [n, size] of sizes.entries()) {
      // oxlint-disable-next-line no-await-in-loop
      await tmux.seen(new RegExp(`Line ${7 * n} of it`, "u"))
      tmux.resize(size)
    }
    await tmux.seen(/^(?![^]*Running)[^]*The end\.\n[^]*Act › *\n[^]*\? keys/)
    const shown = tmux.lines()
    assert.deepStrictEqual(
      shown.filter((line) => line.startsWith("  Line ")),
      numbered.split("\n").map((line) => `  ${line}`)
    )
    assert.lengthOf(
      shown.filter((line) => line.includes("? keys")),
      1
    )
  })

  it("is painted whole after a change from 80x24 to 120x40, and keys go on", async () => {
    const tmux = await opened(80, 24)
    await tmux.seen(/\? keys/)
    tmux.type("half a thought")
    await tmux.seen(/Act › half a thought/)
    tmux.resize({ columns: 120, rows: 40 })
    tmux.type(", and more")
    await tmux.seen(/Act › half a thought, and more/)
    assert.lengthOf(
      tmux.lines().filter((line) => line.startsWith("Act ›")),
      1
    )
  })
})
