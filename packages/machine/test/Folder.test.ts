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

  it("that was written down is known by that spelling, and nothing of another machine is looked at", () => {
    const looked: Array<string> = []
    const options = { folder: Folders.make(), shortNames: { "JOHNDO~1": "John Doe" } }
    const machine = windows({ ...options, onLook: (_, file) => looked.push(file) }, ["C:\\", "\\\\srv\\share\\"])
    machine.fs.mkdirSync("C:\\Users\\John Doe\\Project", { recursive: true })
    const spellings = {
      "c:\\users\\JOHNDO~1\\project": "C:\\Users\\John Doe\\Project",
      "c:/users/john doe/project": "C:\\Users\\John Doe\\Project",
      "d:\\gone": "D:\\gone",
      "\\\\srv\\share\\p": "\\\\srv\\share\\p",
      "": ""
    }
    for (const [written, spelt] of Object.entries(spellings)) {
      assert.strictEqual(Folder.known(written, machine), spelt, written)
    }
    assert.deepStrictEqual(
      looked.filter((file) => file.startsWith("\\\\")),
      []
    )
    assert.strictEqual(Folder.known("c:\\p", darwin({ folder: Folders.make() })), "c:\\p")
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
