import { Approvals } from "@belay/approval-policy"
import { Settings } from "@belay/settings"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { parse } from "../src/CommandLine.ts"
import * as RunOptions from "../src/session/RunOptions.ts"

const sandboxOf = (...flags: ReadonlyArray<string>) =>
  Effect.runSync(
    Effect.gen(function* () {
      const parsed = yield* Effect.fromResult(parse(["run", "hi", ...flags]))
      const snapshot = { ...Settings.defaults(Approvals.ask), sandbox: "off" as const }
      return RunOptions.applied(snapshot, yield* RunOptions.decode(parsed)).sandbox
    })
  )

describe("the flags of a run", () => {
  it("--sandbox replaces what the snapshot says; without it the snapshot holds", () => {
    assert.strictEqual(sandboxOf("--sandbox", "required"), "required")
    assert.strictEqual(sandboxOf("--sandbox", "preferred"), "preferred")
    assert.strictEqual(sandboxOf(), "off")
  })
})
