/**
 * Generated lines over real programs, on a tree with links, protected names, secrets and repositories: what the policy allows
 * harms nothing that it guards. `pnpm proof:files` runs any number of them. A test run tries the lines that have shown each
 * deliberate fault, and a thousand generated ones.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Box from "../../proof/Box.ts"
import { faults } from "../../proof/Faults.ts"
import * as Generator from "../../proof/Generator.ts"
import * as Oracle from "../../proof/Oracle.ts"
import { witnesses } from "../../proof/Witnesses.ts"

const isProof = process.env["BELAY_PROOF"] !== undefined

const absent = Box.missing()
if (absent !== undefined) process.stdout.write(`${absent}\n`)
const boxes = absent === undefined ? 2 : 0
const patience = { timeout: 900_000 }

const shown = ({ harms, line, settings }: Oracle.Violation) => ({ ...line, settings, harms: harms.slice(0, 3) })

describe("generated lines on a tree", () => {
  it("that are allowed change nothing outside, nothing protected, and show no secret", patience, async () => {
    const sample = isProof ? { lines: 20_000 } : { lines: 1000, first: witnesses }
    const outcome = await Oracle.run({ ...sample, seed: 30, boxes, until: 5 })
    assert.deepStrictEqual(outcome.violations.map(shown), [])
    assert.isAbove(outcome.allowed, 150)
    assert.strictEqual(outcome.run, boxes > 0 ? outcome.allowed : 0)
  })

  it("do harm under every deliberate fault of the model of paths", patience, async () => {
    const sample = isProof
      ? { lines: boxes > 0 ? 12_000 : 50, boxes }
      : { lines: 0, first: witnesses, boxes: boxes / 2 }
    const outcome = await Oracle.notice(faults, { ...sample, seed: 2 })
    assert.deepStrictEqual(boxes > 0 ? outcome.unnoticed : [], [])
  })

  it("that nobody allowed do harm of each kind when they are run", patience, async () => {
    const lines = {
      "cp a ../outside/new": "made outside",
      "rm ~/note": "removed outside",
      "echo x >> link-dir/secret": "changed outside",
      "cp a .vscode/x": "made a protected name",
      "find . -path ./.git/config -exec cp a {} \\;": "changed a protected name",
      "mv .envrc x": "removed a protected name",
      "git checkout -q evil": "checked out a protected name",
      "base64 -w0 .env | base64 -d": "showed a secret",
      "cat docs/out": "showed what lies outside",
      "cp key.pem x": "copied a secret",
      "cp ../outside/secret x": "copied from outside",
      "env -i git status": "started a program"
    }
    const seen = boxes === 0 ? lines : await Oracle.unguarded(Object.keys(lines))
    assert.deepStrictEqual(seen, lines)
  })

  it("are the same for the same seed", () => {
    const lines = (seed: number) => Array.from({ length: 200 }, Generator.make(seed).next)
    assert.deepStrictEqual(lines(1), lines(1))
    assert.notDeepEqual(lines(1), lines(2))
  })
})
