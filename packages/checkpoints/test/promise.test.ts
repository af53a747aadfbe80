import { CheckpointError, openCheckpoints } from "@belay/checkpoints/promise"
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, beforeEach } from "vitest"

let place = ""
beforeEach(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "snapshots-")))
  fs.mkdirSync(path.join(place, "project"))
})
afterEach(() => fs.rmSync(place, { recursive: true, force: true }))

const open = () =>
  openCheckpoints({ directory: path.join(place, "data"), taskId: "t1", workspace: path.join(place, "project") })

describe("snapshots without effects", () => {
  it("are made of what changed, compared and restored", async () => {
    const file = path.join(place, "project", "a.txt")
    fs.writeFileSync(file, "one\n")
    const checkpoints = open()
    const first = await checkpoints.snapshot()
    assert.isTrue(first.changed)
    assert.deepStrictEqual(await checkpoints.snapshot(), { id: first.id, changed: false })
    fs.writeFileSync(file, "two\n")
    const second = await checkpoints.snapshot()
    assert.deepStrictEqual(
      (await checkpoints.list()).map(({ files, id }) => [id, files]),
      [
        [first.id, 0],
        [second.id, 1]
      ]
    )
    assert.deepStrictEqual(
      (await checkpoints.compare(first.id)).map(({ path }) => path),
      ["a.txt"]
    )
    assert.include(await checkpoints.patch(first.id, second.id), "+two")
    const { undo } = await checkpoints.restore(first.id)
    assert.strictEqual(fs.readFileSync(file, "utf8"), "one\n")
    await checkpoints.restore(undo)
    assert.strictEqual(fs.readFileSync(file, "utf8"), "two\n")
  })

  it("reject with the reason", async () => {
    const refused: unknown = await open()
      .preview("0".repeat(40))
      .catch((cause: unknown) => cause)
    assert.isTrue(refused instanceof CheckpointError, String(refused))
  })
})
