import { assert, describe, it } from "vitest"
import { Machine, ReplaceFile } from "@belay/machine"
import { faulty } from "@belay/machine/testing"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Folders from "./folders.ts"

/** A machine on which another program holds the target for so many tries. */
const heldFor = (times: number, code: string, platform: NodeJS.Platform) => {
  let tries = 0
  const machine = faulty(
    (call) => (call === "renameSync" && tries++ < times ? code : undefined),
    Machine.host,
    platform
  )
  return { machine, tries: () => tries }
}

describe("a file that is replaced", () => {
  it("is waited for on Windows while another program holds it", () => {
    for (const code of ["EPERM", "EACCES", "EBUSY"]) {
      const file = path.join(Folders.make(), "kept.txt")
      fs.writeFileSync(file, "old")
      const { machine } = heldFor(3, code, "win32")
      ReplaceFile.write(file, "new", {}, machine)
      assert.strictEqual(fs.readFileSync(file, "utf8"), "new")
    }
  })

  it("keeps its content when it is held for ever, and leaves nothing beside it", () => {
    const folder = Folders.make()
    const file = path.join(folder, "kept.txt")
    fs.writeFileSync(file, "old")
    const { machine, tries } = heldFor(Infinity, "EPERM", "win32")
    assert.throws(() => ReplaceFile.write(file, "new", {}, machine), /EPERM/u)
    assert.strictEqual(tries(), 10)
    assert.deepStrictEqual(fs.readdirSync(folder), ["kept.txt"])
    assert.strictEqual(fs.readFileSync(file, "utf8"), "old")
  })

  it("is not tried again where an error is the last word", () => {
    const file = path.join(Folders.make(), "kept.txt")
    for (const [code, platform] of [
      ["EPERM", "linux"],
      ["EACCES", "darwin"],
      ["ENOSPC", "win32"]
    ] as const) {
      const { machine, tries } = heldFor(Infinity, code, platform)
      assert.throws(() => ReplaceFile.write(file, "new", {}, machine), code)
      assert.strictEqual(tries(), 1)
    }
  })
})
