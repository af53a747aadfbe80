import { Reading } from "@belay/interaction/unstable/feed"
import { TaskHistory } from "@belay/history-store"
import type { Row } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { layerMemory } from "./history.ts"
import * as Tasks from "./vscode/Tasks.ts"

const turns = 2500
const answer = "It is in **src/parse.ts**, and the tests of it pass. ".repeat(6)

const texts = (rows: ReadonlyArray<Row.Row>): ReadonlyArray<string> =>
  rows.flatMap((row) => (row.kind === "said" ? [row.text] : []))

describe("a task of 5,000 entries", () => {
  it("is opened with its last hundred in less than 200 kB, and read backwards a hundred at a time without a gap", async () => {
    const program = Effect.gen(function* () {
      const history = yield* TaskHistory
      yield* history.commit(Tasks.started(1, "Talk"))
      const said = Array.from({ length: turns }, (_, turn) => [
        Tasks.said(1, `Question ${turn}`),
        Tasks.answered(1, answer)
      ])
      yield* history.commit(said.flat())
      const pages: Array<Reading.Part> = []
      for (let before: number | undefined = Infinity; before !== undefined;) {
        const seq: number = before === Infinity ? (yield* history.events(Tasks.id(1), 1, 10_000)).length + 1 : before
        const part: Reading.Part = yield* Reading.before(history, Tasks.id(1), seq)
        pages.push(part)
        before = part.earlier
      }
      return pages
    })
    const pages = await Effect.runPromise(Effect.provide(program, layerMemory))
    const [first] = pages
    assert.isBelow(Buffer.byteLength(JSON.stringify(first?.rows)), 200_000)
    for (const { rows } of pages.slice(0, -1)) {
      assert.isAtLeast(rows.length, 100)
      assert.isAtMost(rows.length, 110)
    }
    const asked = pages.toReversed().flatMap(({ rows }) => texts(rows).filter((text) => text.startsWith("Question")))
    assert.deepEqual(
      asked,
      Array.from({ length: turns }, (_, turn) => `Question ${turn}`)
    )
  })
})
