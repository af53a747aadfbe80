import { LogFold } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import { between } from "./arbitraries.ts"

interface Item {
  readonly n: number
}

const counted = () => {
  let looked = 0
  const fold = LogFold.make<Item, Array<number>>(
    () => [],
    (seen, { n }) => {
      looked += 1
      seen.push(n)
      return seen
    }
  )
  return { fold: (log: ReadonlyArray<Item>) => [...fold(log)], looked: () => looked }
}

const changes = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.all([between(0, 12), between(0, 4), Arbitrary.array(between(0, 9), { maxLength: 4 })]),
    ([at, remove, add]) => ({ at, remove, add })
  ),
  { maxLength: 12 }
)

describe("a fold of a log that grows", () => {
  it("looks at each item once", () => {
    const { fold, looked } = counted()
    const log: Array<Item> = []
    for (let n = 0; n < 100; n++) {
      log.push({ n })
      assert.strictEqual(fold(log).length, n + 1)
    }
    assert.strictEqual(looked(), 100)
  })

  it("knows two logs apart, whatever they begin with", () => {
    const { fold } = counted()
    const first = { n: 1 }
    const [one, other]: [Array<Item>, Array<Item>] = [[first], [first]]
    assert.deepStrictEqual([fold(one), fold(other)], [[1], [1]])
    one.push({ n: 2 })
    other.push({ n: 3 })
    assert.deepStrictEqual(
      [fold(one), fold(other)],
      [
        [1, 2],
        [1, 3]
      ]
    )
  })

  it.prop("is what the whole log makes, however it is changed in between", { changes }, (given) => {
    const { fold } = counted()
    const log: Array<Item> = []
    for (const { add, at, remove } of given.changes) {
      log.splice(at, remove, ...add.map((n) => ({ n })))
      assert.deepStrictEqual(
        fold(log),
        log.map(({ n }) => n)
      )
    }
  })
})
