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

describe("a path through links", () => {
  it("leads away when any of them does, and nothing of the other machine is looked at to tell", () => {
    const looked: Array<string> = []
    const machine = windows({ folder: Folders.make(), onLook: (_, file) => looked.push(file) })
    const { fs: files } = machine
    files.mkdirSync("C:\\p\\src", { recursive: true })
    files.writeFileSync("C:\\p\\src\\a.ts", "a")
    const made = {
      share: "\\\\evil\\share",
      device: "\\??\\UNC\\evil\\share",
      there: "src",
      circle: "circle",
      own: "\\\\mine\\work\\x"
    }
    for (const [name, target] of Object.entries(made)) files.symlinkSync(target, `C:\\p\\${name}`)
    files.symlinkSync("..\\there\\..\\share\\deep", "C:\\p\\src\\far")
    looked.length = 0
    const { leadAway } = Share.links(["C:\\p", "\\\\MINE\\work\\q"], machine)
    for (const file of ["share", "share\\x", "SHARE\\x", "device\\x", "circle\\x", "src\\far", "there\\far\\x"]) {
      assert.isTrue(leadAway(`C:\\p\\${file}`), file)
    }
    for (const file of ["src\\a.ts", "there\\a.ts", "gone\\x", "share2"])
      assert.isFalse(leadAway(`C:\\p\\${file}`), file)
    assert.deepStrictEqual(
      looked.filter((file) => /evil/.test(file)),
      []
    )
    assert.isFalse(leadAway("C:\\p\\own\\y"))
    assert.isFalse(Share.links([], Machine.host).leadAway("//evil/share"))
  })
})
