import { assert, describe, it } from "vitest"
import { Machine, Share } from "@belay/machine"
import { windows } from "@belay/machine/testing"
import * as Folders from "./folders.ts"

const foreign = [
  "\\\\evil\\share\\x",
  "//evil/share/x",
  "\\/evil/share",
  "/\\evil\\share",
  "\\\\evil",
  "\\\\?\\C:\\x",
  "\\\\?\\UNC\\evil\\share",
  "\\\\.\\pipe\\x",
  "//?/C:/x",
  "//./COM1",
  "\\??\\UNC\\evil\\share",
  "\\\\evil@SSL\\DavWWWRoot\\x",
  "\\\\10.0.0.1\\c$"
]

describe("a path of Windows that leads to another machine", () => {
  it("is told by its text, however it is written", () => {
    const machine = windows({ folder: Folders.make() })
    for (const file of foreign) assert.isTrue(Share.isForeign(file, ["C:\\work"], machine), file)
    for (const file of ["C:\\x", "c:/x", "\\x", "/x", "x\\\\y", "..\\x", "~\\x", "a//b"]) {
      assert.isFalse(Share.isForeign(file, ["C:\\work"], machine), file)
    }
  })

  it("is the person's own when the workspace lies on that share, and no other way to it is", () => {
    const machine = windows({ folder: Folders.make() })
    const own = ["\\\\Files\\Team\\project"]
    assert.isFalse(Share.isForeign("\\\\files\\team\\other", own, machine))
    assert.isFalse(Share.isForeign("//FILES/TEAM/x", own, machine))
    for (const file of ["\\\\files\\private\\x", "\\\\files.evil\\team\\x", "\\\\?\\UNC\\files\\team\\x"]) {
      assert.isTrue(Share.isForeign(file, own, machine), file)
    }
  })

  it("is a folder like any other where Windows is not", () => {
    assert.isFalse(Share.isForeign("//evil/share", ["/work"], { ...Machine.host, platform: "linux" }))
  })
})
