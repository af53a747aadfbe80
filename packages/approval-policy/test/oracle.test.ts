/**
 * Generated commands against the policy and a real bash in a box: what is allowed does what the policy says, and no more.
 *
 * `pnpm proof:shell` runs any number of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Approvals } from "@belay/approval-policy"
import { missing } from "../proof/Box.ts"
import * as Generator from "../proof/Generator.ts"
import { run } from "../proof/Oracle.ts"

/** A test run takes a sample of what `npm run test:full` tries. */
const isProof = process.env["BELAY_PROOF"] !== undefined

const absent = missing()
if (absent !== undefined) process.stdout.write(`${absent}\n`)
const boxes = absent === undefined ? 2 : 0
const patience = { timeout: 600_000 }

describe("generated commands", () => {
  it("no allowed one runs another program, changes another file or shows what lies outside", patience, async () => {
    const commands = isProof ? 20_000 : 1000
    const outcome = await run({ commands, seed: 20, boxes })
    assert.deepStrictEqual(outcome.failures, [])
    assert.strictEqual(outcome.generated, commands)
    assert.isAbove(outcome.allowed, commands / 4)
    if (boxes > 0) assert.isAbove(outcome.changed, commands / 40)
  })

  it("the tripwires see each kind of harm when everything is run", patience, async () => {
    const outcome = await run({ commands: 400, seed: 21, boxes, everything: true })
    const kinds = ["ran", "changed", "showed"].filter((kind) =>
      outcome.failures.some((line) => line.includes(` ${kind} `))
    )
    assert.deepStrictEqual(kinds, boxes > 0 ? ["ran", "changed", "showed"] : [])
  })

  it("are the same for the same seed, and nothing is allowed without rules", async () => {
    const lines = (seed: number) => Array.from({ length: 50 }, Generator.make(seed).next)
    assert.deepStrictEqual(lines(1), lines(1))
    assert.notDeepEqual(lines(1), lines(2))
    const approvals = { ...Approvals.edits, commands: { ...Approvals.edits.commands, readOnly: "ask" as const } }
    const outcome = await run({ commands: 500, seed: 1, boxes: 0, approvals })
    assert.strictEqual(outcome.allowed, 0)
  })
})
