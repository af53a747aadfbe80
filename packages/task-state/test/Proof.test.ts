import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../proof/main.ts", import.meta.url))

it("the bounded model check holds and finds every deliberate fault", { timeout: 0 }, () => {
  const printed = execFileSync(process.execPath, ["--conditions=@belay/source", main, "--sample"], { encoding: "utf8" })
  const faults = /deliberate faults *\| (\d+) of (\d+) caught/u.exec(printed)
  assert.isAtLeast(Number(faults?.[1]), 20, printed)
  assert.strictEqual(faults?.[1], faults?.[2], printed)
  assert.notInclude(printed, "VIOLATED")
})
