import { assert, describe, it } from "vitest"
import { longest, processorTimes, type PackageRun } from "./costs.ts"
import { processorTime, processorTimeOf } from "./processorTime.ts"

const run = (name: string, files: Readonly<Record<string, readonly [seconds: number, tests: number]>>): PackageRun => ({
  name: `@belay/${name}`,
  folder: `/a/${name}`,
  report: JSON.stringify({
    testResults: Object.entries(files).map(([file, [seconds, tests]]) => ({
      name: `/a/${name}/test/${file}.test.ts`,
      startTime: 1000,
      endTime: 1000 + seconds * 1000,
      assertionResults: Array.from({ length: tests }, () => ({ status: "passed" }))
    }))
  }),
  processorSeconds: 7,
  replayed: false
})

describe("longest", () => {
  it("names the files of all packages that took longest, with their tests and what was replayed", () => {
    const runs = [
      run("modes", { Mode: [1, 31], quick: [0.1, 2] }),
      { ...run("engine", { stop: [20, 1] }), replayed: true }
    ]
    assert.deepStrictEqual(longest(runs, 2), [
      "   20.0 s  @belay/engine test/stop.test.ts (1 test, replayed)",
      "    1.0 s  @belay/modes test/Mode.test.ts (31 tests)"
    ])
    const many = run("modes", Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`t${index}`, [index, 1]])))
    assert.lengthOf(longest([many]), 10)
  })

  it("leaves out a package without a report", () => {
    assert.deepStrictEqual(longest([{ ...run("modes", {}), report: undefined }]), [])
  })
})

describe("processorTimes", () => {
  const time = { own: 1, children: 99 }

  it("sums what is known, and gives replayed tests no part of it", () => {
    const runs = [run("modes", {}), { ...run("engine", {}), replayed: true }]
    const lines = processorTimes(runs, { wallSeconds: 60, run: time, installation: { own: 0, children: 10 } })
    assert.deepStrictEqual(lines, [
      "110 s of processor time beside 60 s of wall time, without that of processes that nobody waited for:",
      "    7.0 s  @belay/modes",
      "   93.0 s  all other than tests",
      "   10.0 s  installation"
    ])
  })

  it("names no number where the system tells none", () => {
    assert.deepStrictEqual(
      processorTimes([run("modes", {})], { wallSeconds: 60, run: undefined, installation: undefined }),
      ["60 s of wall time; this system does not tell the processor time."]
    )
  })
})

describe("processorTime", () => {
  it("reads the ticks of a process and of its children, whatever its name is", () => {
    const fields = ["S", ...Array.from({ length: 10 }, () => "0"), "150", "50", "1000", "500", "20"]
    assert.deepStrictEqual(processorTimeOf(`1 (a) R (b) ${fields.join(" ")}`), { own: 2, children: 15 })
  })

  it.runIf(process.platform === "linux")("is that of this process", () => {
    assert.isAbove(processorTime()?.own ?? assert.fail("unknown"), 0)
  })
})
