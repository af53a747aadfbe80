import * as Cause from "effect/Cause"
import { assert, describe, it, vi } from "vitest"
import { Refusal, tell } from "../src/vscode/Bridge.ts"
import * as StandIn from "./vscode/StandIn.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

describe("what is told of a command", () => {
  it("is no error where there was nothing to do, as for a restore that changes nothing", () => {
    StandIn.renew()
    const logged = new Array<unknown>()
    const log: any = { error: (line: unknown) => logged.push(line) }
    tell(log, Cause.fail(new Refusal({ line: "No turn has changed anything.", isNews: true })))
    tell(log, Cause.fail(new Refusal({ line: "The folder is gone." })))
    assert.deepEqual(
      StandIn.editor.told.map(({ kind, line }) => [kind, line]),
      [
        ["information", "No turn has changed anything."],
        ["error", "The folder is gone."]
      ]
    )
    assert.equal(logged.length, 1)
  })
})
