import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as path from "node:path"

describe("the package that reaches Anthropic's service", () => {
  it("is named, with the command that installs it, when the first request wants it", () => {
    const program = path.join(import.meta.dirname, "fixtures", "withoutSdk.ts")
    const said = execFileSync(process.execPath, ["--conditions=@belay/source", program], { encoding: "utf8" })
    assert.strictEqual(
      said.trim(),
      "the package @anthropic-ai/sdk is not installed (127.0.0.1:9). Install it: npm install @anthropic-ai/sdk"
    )
  })
})
