import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { whileMoving } from "./progress.ts"
import * as Walk from "./walks/walk.ts"

const full = process.env["BELAY_PROOF"] !== undefined

/** A proof takes 10,000 walks; what is done after a kill does not depend on the disk, so memory is its disk. */
const walks: number = Number(process.env["BELAY_PROOF_WALKS"] ?? (full ? 10_000 : 12))
const root = process.platform === "linux" && existsSync("/dev/shm") ? "/dev/shm" : tmpdir()
const each = full ? 40 : 3

/** Another seed takes other walks. */
const firstSeed = Number(process.env["BELAY_PROOF_SEED"] ?? 1)

describe("random walks of commands", () => {
  it.live(
    "leave the same records, edges and derived states in memory, in a file, in a thread and in processes that are killed",
    () => {
      const figures = { walks: 0, steps: 0, deaths: 0 }
      let moves = 0
      const books = Array.from({ length: Math.ceil(walks / each) }, (_, n) => ({
        seed: firstSeed + n,
        owners: 1 + (n % 4),
        walks: Math.min(each, walks - n * each)
      }))
      const read = (book: Walk.Book) => Effect.promise(() => Walk.read(root, book, figures, () => void moves++))
      const all = Effect.forEach(books, read, { concurrency: availableParallelism(), discard: true })
      return Effect.map(
        whileMoving(all, () => moves),
        () => {
          const n = (value: number) => value.toLocaleString("en-US")
          const figure = `${n(figures.walks)} walks, ${n(figures.steps)} steps, ${n(figures.deaths)} deaths`
          process.stdout.write(`proof: random walks in five kinds of histories | ${figure} | as the reference\n`)
          assert.strictEqual(figures.walks, walks)
        }
      )
    },
    0
  )
})
