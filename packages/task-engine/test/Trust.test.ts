import * as Trust from "@belay/task-engine/trust"
import { assert, describe, it } from "vitest"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

describe("the configuration of a folder", () => {
  it("with a link in it is never trusted, and is not walked through: links may lead round in circles", () => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-trust-")))
    mkdirSync(path.join(root, ".belay", "deep"), { recursive: true })
    writeFileSync(path.join(root, ".belay", "settings.json"), "{}")
    assert.strictEqual(Trust.content(root)._tag, "Whole")
    symlinkSync(".", path.join(root, ".belay", "a"))
    symlinkSync("..", path.join(root, ".belay", "deep", "b"))
    const found = Trust.content(root)
    assert.strictEqual(found._tag, "Unreadable")
    assert.match(found._tag === "Unreadable" ? found.why : "", /^\.belay has a link \([ab]\)$/)
    rmSync(root, { recursive: true })
  })
})
