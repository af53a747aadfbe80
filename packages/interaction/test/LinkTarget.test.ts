import { LinkTarget } from "@belay/interaction/unstable/feed"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"

describe("a link of a conversation", () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-link-")))
  const workspace = path.join(folder, "workspace")
  mkdirSync(path.join(workspace, "src"), { recursive: true })
  writeFileSync(path.join(workspace, "src", "a b.ts"), "")
  writeFileSync(path.join(folder, "secret.txt"), "")
  symlinkSync(path.join(folder, "secret.txt"), path.join(workspace, "link.txt"))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("leads to pages and mail alone, by the name that a service knows them by", () => {
    assert.equal(LinkTarget.webOf("https://exаmple.com/x"), "https://xn--exmple-4nf.com/x")
    assert.equal(LinkTarget.webOf("mailto:a@b.c"), "mailto:a@b.c")
    const others = [
      "javascript:alert(1)",
      "command:belay.stopAll",
      "vscode://x",
      "file:///etc/passwd",
      "data:text/html,x"
    ]
    for (const target of [...others, "https://github.com@evil.test/", "src/a.ts", ""]) {
      assert.isUndefined(LinkTarget.webOf(target), target)
    }
  })

  it("leads to a file of the task's folder, at its line, and to no other", () => {
    const file = path.join(workspace, "src", "a b.ts")
    assert.deepEqual(LinkTarget.fileOf("src/a%20b.ts:12:3", workspace), { file, line: 12 })
    assert.deepEqual(LinkTarget.fileOf("./src/a b.ts#L7-L9", workspace), { file, line: 7 })
    const others = ["../secret.txt", "link.txt", path.join(folder, "secret.txt"), "nothing.ts", "", ".", "javascript:x"]
    for (const target of others) assert.isUndefined(LinkTarget.fileOf(target, workspace), target)
  })
})
