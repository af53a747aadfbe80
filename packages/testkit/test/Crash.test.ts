import { Crash } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** Writes a number after each point, and waits at the one where it is killed. */
const host = `
const { writeFileSync, writeSync } = require("node:fs")
for (const at of [1, 2]) {
  writeSync(1, "point " + at + "\\n")
  if (process.env.CRASH_POINT === String(at)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  writeFileSync("done", String(at))
}
`

describe("a host that is killed at each of its points", () => {
  it("has gone no further than the point, and its rest is looked at", async () => {
    const to = mkdtempSync(path.join(tmpdir(), "belay-crash-"))
    const seen: Array<string> = []
    const points = await Crash.atEachPoint(
      {
        args: ["-e", host],
        place: () => ({ cwd: mkdtempSync(path.join(to, "run-")) }),
        isPoint: (line) => line.startsWith("point ")
      },
      ({ place, point = "the end" }) => {
        const file = path.join(place.cwd ?? "", "done")
        seen.push(`${point}: ${existsSync(file) ? readFileSync(file, "utf8") : "nothing"}`)
      }
    )
    rmSync(to, { recursive: true })
    assert.deepStrictEqual(points, ["point 1", "point 2"])
    assert.deepStrictEqual(seen, ["the end: 2", "point 1: nothing", "point 2: 1"])
  })

  it("is not tried when it fails by itself", async () => {
    const program = { args: ["-e", "process.exit(3)"], place: () => ({}), isPoint: () => true }
    const said = await Crash.atEachPoint(program, () => assert.fail("nothing is left")).catch(String)
    assert.match(String(said), /ends with 3 by itself/)
  })
})
