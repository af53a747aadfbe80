import { assert, describe, it } from "vitest"
import type { Limit } from "./figure.ts"
import { single, spread } from "./spread.ts"
import { verdict } from "./verdict.ts"

const figure = (limit: Limit, belay: ReadonlyArray<number>, floor?: ReadonlyArray<number>) => ({
  name: "a figure",
  belay: spread(belay),
  ...(floor === undefined ? {} : { floor: spread(floor) }),
  limit,
  digits: 0
})

const times = { times: 1.5 }

describe("the verdict on a figure", () => {
  it("holds the median to its limit, and to a ratio or a distance to the floor", () => {
    assert.strictEqual(verdict(figure({ within: 10 }, [9, 9, 9, 9, 30]), false), "ok")
    assert.strictEqual(verdict(figure({ within: 10 }, [9, 10.1, 10.2]), false), "over")
    assert.strictEqual(verdict(figure(times, [15, 15, 15], [10, 10, 10]), false), "ok")
    assert.strictEqual(verdict(figure(times, [16, 16, 16], [10, 10, 10]), false), "over")
    assert.strictEqual(verdict(figure({ beyond: 3 }, [13, 13, 13], [10, 10, 10]), false), "ok")
    assert.strictEqual(verdict(figure({ beyond: 2 }, [13, 13, 13], [10, 10, 10]), false), "over")
  })

  it("is none without a limit", () => {
    assert.isUndefined(verdict({ ...figure(times, [1]), limit: undefined }, false))
  })

  it("compares each run with the run of the floor beside it, so that load on both is none of ours", () => {
    assert.strictEqual(verdict(figure(times, [14, 140, 28], [10, 100, 20]), false), "ok")
  })

  it("neither passes nor fails when the runs lie wide on both sides of the limit", () => {
    assert.strictEqual(verdict(figure({ within: 10 }, [2, 9, 11, 30]), false), "too noisy to judge")
    assert.strictEqual(verdict(figure({ within: 10 }, [2, 3, 4, 5, 30]), false), "ok")
    assert.strictEqual(verdict(figure({ within: 10 }, [12, 30, 60, 90]), false), "over")
  })

  it("fails a time on a loaded machine only when the processor time fails, and what is counted always", () => {
    const over = figure(times, [20, 20, 20], [10, 10, 10])
    const busy = { belay: single(20), floor: single(10) }
    const idle = { belay: single(11), floor: single(10) }
    assert.strictEqual(verdict(over, true), "too noisy to judge")
    assert.strictEqual(verdict({ ...over, processor: idle }, true), "too noisy to judge")
    assert.strictEqual(verdict({ ...over, processor: busy }, true), "over")
    assert.strictEqual(verdict({ ...over, processor: idle }, false), "over")
    assert.strictEqual(verdict(figure({ most: 2.2 }, [3]), true), "over")
  })
})
