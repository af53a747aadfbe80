import { FocusChainError, openChecklist } from "@belay/focus-chain/promise"
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach } from "vitest"

let directory = ""
beforeEach(() => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "checklist-")))
})
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }))

const item = { id: "a", text: "Write tests", state: "open" } as const

describe("a checklist without effects", () => {
  it("is written, read and taken away, and its other lines stay", async () => {
    const list = openChecklist({ directory, taskId: "t1" })
    assert.isUndefined(await list.read())
    await list.write("Tidy up", [item])
    assert.deepStrictEqual(await list.read(), [item])
    fs.appendFileSync(list.path, "\nA note of mine\n")
    await list.write("Tidy up", [{ ...item, state: "done" }])
    assert.include(fs.readFileSync(list.path, "utf8"), "A note of mine")
    await list.remove()
    assert.isUndefined(await list.read())
  })

  it("tells what others make of it, and never what it wrote", async () => {
    const list = openChecklist({ directory, taskId: "t1" })
    await list.write("Tidy up", [item])
    const controller = new AbortController()
    const reason = new Error("enough")
    const seen: Array<unknown> = []
    const watching = (async () => {
      for await (const what of list.watch({ signal: controller.signal })) {
        seen.push(what)
        controller.abort(reason)
      }
    })()
    // What watches begins by turns of the loop, and not by time.
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    await list.write("Tidy up", [{ ...item, state: "doing" }])
    fs.writeFileSync(list.path, fs.readFileSync(list.path, "utf8").replace("Write tests", "Write more tests"))
    assert.strictEqual(await watching.catch((cause: unknown) => cause), reason)
    assert.deepStrictEqual(seen, [{ type: "edited", items: [{ ...item, text: "Write more tests", state: "doing" }] }])
  })

  it("rejects for a file that it would not write, and throws for an id that is none", async () => {
    const list = openChecklist({ directory, taskId: "t1" })
    fs.mkdirSync(path.dirname(list.path), { recursive: true })
    fs.symlinkSync("/etc/passwd", list.path)
    const refused: unknown = await list.write("x", [item]).catch((cause: unknown) => cause)
    assert.isTrue(refused instanceof FocusChainError, String(refused))
    assert.throws(() => openChecklist({ directory, taskId: "../x" }))
  })
})
