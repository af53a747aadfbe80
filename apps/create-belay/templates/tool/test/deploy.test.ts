/** A test needs no key: the model is a script, and whoever answers is this file. */
import { createBelay } from "@belay/sdk"
import * as assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { test } from "node:test"
import { deploy } from "../src/deploy.ts"
import { scripted } from "../src/scripted.ts"

void test("a deployment to production runs after a yes, and not after a no", async () => {
  const place = mkdtempSync(path.join(tmpdir(), "deploy-"))
  const model = scripted(
    { name: "deploy", input: { to: "production" } },
    { name: "attempt_completion", input: { result: "Done." } }
  )
  for (const decision of ["allow", "deny"] as const) {
    await using belay = await createBelay({ directory: path.join(place, decision), model, tools: [deploy] })
    belay.onAsk(({ askId }) => void belay.answer(askId, { decision }))
    const task = await belay.start({ prompt: "Deploy", workspace: place })
    const { record } = await task.result
    assert.equal(record.status, "completed")
    const results = (await belay.history.messages(task.id)).flatMap(({ content }) => content)
    assert.equal(JSON.stringify(results).includes("deployed to production"), decision === "allow")
  }
  rmSync(place, { recursive: true })
})
