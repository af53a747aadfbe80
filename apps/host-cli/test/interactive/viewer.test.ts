/** Something long has a screen of its own until it is left, and what was on the screen before is there again. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it, vi } from "vitest"
import { use } from "../support/asking.ts"
import { folder } from "../support/cli.ts"
import { holdFrames, open, says } from "../support/Interactive.ts"

const numbered = (lines: number): string => Array.from({ length: lines }, (_, n) => `row ${n} of it`).join("\n")

/** What was written outside of the viewer. */
// oxlint-disable-next-line no-control-regex
const outside = (written: string): string => written.replaceAll(/\u001B\[\?1049h[^]*?\u001B\[\?1049l/gu, "")

describe("the viewer", () => {
  it("shows all that was said and done, with whole outputs, and leaves the screen as it was", async () => {
    const prints = use("execute_command", { command: "seq 1 300" })
    const editor = path.join(folder(), "editor")
    writeFileSync(editor, '#!/bin/sh\ncp "$1" "$0.seen"\n', { mode: 0o755 })
    const { home, screen } = await open([prints, says(`${numbered(60)}\n\nThe end.`)], {
      args: ["--approvals", "all"],
      env: { EDITOR: editor }
    })
    screen.type("Work\r")
    await screen.seen(/The end\.[^]*Act ›/)
    await screen.seen((text) => !text.includes("Running"))
    const before = screen.lines()
    screen.type("\u000F")
    await screen.seen(/The end\.\n.* · q leaves · /m)
    screen.type("g")
    await screen.seen((text) => text.startsWith("\n› Work"))
    screen.type("/")
    await screen.seen(/^\/$/m)
    screen.type("211\r")
    await screen.seen(/^ {4}211$/m)
    // The entry at the top alone, which is copied whole, and edited as a copy; then all of it again.
    screen.type("\r")
    await screen.seen(/^· \$ seq 1 300[^]*of 302 · Work/)
    screen.type("y")
    await screen.seen(/Copied 302 lines, also to /)
    assert.match(readFileSync(path.join(home, "copied.md"), "utf8"), /^\$ seq 1 300\n1\n2\n[^]*\n300\n/)
    screen.type("e")
    await vi.waitUntil(() => existsSync(`${editor}.seen`))
    await screen.seen(/of 302 · Work/)
    assert.strictEqual(readFileSync(`${editor}.seen`, "utf8"), readFileSync(path.join(home, "copied.md"), "utf8"))
    screen.type("q")
    await screen.seen(/^ {4}211$/m)
    screen.type("q")
    await screen.seen((text) => text.includes("Act ›") && text.startsWith(before.slice(0, 5).join("\n")))
    screen.type("still here")
    await screen.seen("Act › still here")
    holdFrames(outside(screen.written()))
    screen.kill()
  })

  it("shows what a task has changed, and prints all of it into the scrollback", async () => {
    const writes = use("write_to_file", { path: "new.txt", content: numbered(40) })
    const { screen } = await open([writes, says("Written.")], { args: ["--approvals", "edits"] })
    screen.type("Work\r")
    await screen.seen(/Written\.[^]*Act ›/)
    screen.type("/diff\r")
    await screen.seen('Changes of "Work"')
    screen.type("[")
    await screen.seen(/^\+row 39 of it$/m)
    screen.type("q")
    const text = await screen.seen(/\+row 39 of it\n[^]*Act ›/)
    assert.include(text, "+row 0 of it")
    holdFrames(outside(screen.written()))
    screen.kill()
  })
})
