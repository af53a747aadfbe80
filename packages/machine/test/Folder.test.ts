import { assert, describe, it } from "@effect/vitest"
import { Folder } from "@belay/machine"
import { darwin, windows } from "@belay/machine/testing"
import * as Schema from "effect/Schema"
import * as Folders from "./folders.ts"

describe("a folder", () => {
  it("has one spelling on Windows, whatever the drive, the case, the short name or the drive that stands for it", () => {
    const folder = Folders.make()
    const machine = windows({ folder, shortNames: { "JOHNDO~1": "John Doe" }, drives: { "S:": "C:\\Users\\John Doe" } })
    machine.fs.mkdirSync("C:\\Users\\John Doe\\Project", { recursive: true })
    for (const spelling of [
      "C:\\Users\\John Doe\\Project",
      "c:\\users\\john doe\\PROJECT",
      "c:/Users/JOHNDO~1/project",
      "S:\\Project",
      "s:\\project\\..\\Project\\"
    ]) {
      assert.strictEqual(Folder.canonical(spelling, machine), "C:\\Users\\John Doe\\Project", spelling)
    }
  })

  it("has one spelling on macOS, whatever the case and the Unicode form", () => {
    const machine = darwin({ folder: Folders.make() })
    machine.fs.mkdirSync("/Users/Zoë".normalize("NFC"), { recursive: true })
    const canonical = Folder.canonical("/users/zoë".normalize("NFD"), machine)
    assert.strictEqual(canonical, Folder.canonical("/Users/ZOË".normalize("NFC"), machine))
  })

  it.prop(
    "is found above any path, or is not there at all: a drive that is missing ends the search",
    [
      Schema.Literals(["Z:\\", "Q:\\", "\\\\gone\\share\\", "C:\\"]),
      Schema.Array(Schema.Literals(["a", "b", ".", "..", "c d"]))
    ],
    ([root, names]) => {
      const machine = windows({ folder: Folders.make() })
      machine.fs.mkdirSync("C:\\a\\b", { recursive: true })
      const found = Folder.existing(root + names.join("\\"), machine)
      assert.strictEqual(found === undefined, root !== "C:\\")
    }
  )
})
