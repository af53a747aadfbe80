/** Writing: in an editor, with images, with what was said before, with commands of one's own; and going back. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { use } from "../support/asking.ts"
import { folder } from "../support/cli.ts"
import { holdFrames, open, says } from "../support/Interactive.ts"

/** An image of one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

/** A program of this name that runs these lines of sh. */
const program = (name: string, lines: string): string => {
  const file = path.join(folder(), name)
  writeFileSync(file, `#!/bin/sh\n${lines}\n`)
  chmodSync(file, 0o755)
  return file
}

describe("what is written", () => {
  it("is edited in the editor with Ctrl+G, which gives back what was saved", async () => {
    const editor = program("editor", 'printf "seen: "; cat "$1"; echo; printf "edited: %s\\n" "$(cat "$1")" > "$1"')
    const { screen } = await open([], { env: { EDITOR: editor } })
    await screen.seen("? keys")
    screen.type("Work on it")
    await screen.seen("Act › Work on it")
    screen.type("\u0007")
    const text = await screen.seen("Act › edited: Work on it")
    assert.include(text, "seen: Work on it")
    screen.type(", and more")
    await screen.seen("edited: Work on it, and more")
    screen.type("\u0018\u0005")
    await screen.seen("edited: edited: Work on it, and more")
    screen.kill()
  })

  it("is put aside with Ctrl+S, and is back with the next one", async () => {
    const { screen } = await open([])
    await screen.seen("? keys")
    screen.type("half a thought")
    await screen.seen("Act › half a thought")
    screen.type("\u0013")
    await screen.seen("Put aside: Ctrl+S brings it back.")
    await screen.seen(/^Act › *$/m)
    screen.type("\u0013")
    await screen.seen("Act › half a thought")
    screen.kill()
  })

  it("before is found with Ctrl+R, also after a restart", async () => {
    const first = await open([says("The first answer."), says("A later answer.")])
    await first.say("Work on the parser", "The first answer.")
    await first.say("now the docs", "A later answer.")
    first.screen.type("\u0004")
    await first.screen.exit
    const { screen } = await open([], { of: first })
    await screen.seen("? keys")
    screen.type("\u0012")
    await screen.seen(/^> now the docs\n {2}Work on the parser/m)
    // Again: what is older.
    screen.type("\u0012")
    await screen.seen(/^ {2}now the docs\n> Work on the parser/m)
    screen.type("pars")
    await screen.seen(/^> Work on the parser\n {2}type to filter/m)
    screen.type("\r")
    await screen.seen("Act › Work on the parser")
    screen.kill()
  })

  it("takes an image by the path that is pasted, which goes with it as an image", async () => {
    const { cwd, screen, server } = await open([says("A pixel.")])
    const file = path.join(cwd, "a pixel.png")
    writeFileSync(file, pixel)
    await screen.seen("? keys")
    screen.type("Work with ")
    screen.type(`\u001B[200~${file.replaceAll(" ", "\\ ")}\u001B[201~`)
    await screen.seen("Act › Work with [image 1: a pixel.png]")
    screen.type("\r")
    await screen.seen("A pixel.")
    assert.include(JSON.stringify(server.requests[0]?.body), pixel.toString("base64"))
    screen.kill()
  })

  it("takes the image of the clipboard with Ctrl+V, and says where there is none", async () => {
    const file = path.join(folder(), "pixel.png")
    writeFileSync(file, pixel)
    const xclip = program("xclip", `cat ${file}`)
    const given = { WAYLAND_DISPLAY: undefined }
    const { screen } = await open([], { env: { ...given, PATH: `${path.dirname(xclip)}:${process.env["PATH"]}` } })
    await screen.seen("? keys")
    screen.type("\u0016")
    await screen.seen("[image 1: clipboard.png]")
    screen.kill()
    const without = await open([], { env: { ...given, SSH_CONNECTION: "1 2 3 4" } })
    await without.screen.seen("? keys")
    without.screen.type("\u0016")
    await without.screen.seen("the clipboard is on the other machine")
    without.screen.kill()
  })

  it("with `!` is a command of one's own, and with `!!` the task reads what it printed", async () => {
    const { screen, server } = await open([says("Ready."), says("I have read it.")])
    await screen.seen("? keys")
    screen.type("!echo only $((40 + 2))\r")
    await screen.seen(/! echo only[^]*\nonly 42\n[^]*exit 0/)
    assert.lengthOf(server.requests, 0)
    screen.type("Work\r")
    await screen.seen("Ready.")
    screen.type("!!echo said $((40 + 3))\r")
    await screen.seen("I have read it.")
    assert.include(JSON.stringify(server.requests[1]?.body), "said 43")
    screen.kill()
  })
})

describe("an ask", () => {
  it("for a change is edited with e, and what is saved is what is written", async () => {
    const editor = program("editor", 'sed -i s/one/two/ "$1"')
    const writes = use("write_to_file", { path: "new.txt", content: "only one row\n" })
    const { cwd, screen } = await open([writes, says("Written.")], { env: { EDITOR: editor } })
    screen.type("Work\r")
    await screen.seen(/Needs you .*Write new\.txt/)
    screen.type("\t")
    await screen.seen("e edits")
    screen.type("e")
    await screen.seen("Written.")
    assert.strictEqual(readFileSync(path.join(cwd, "new.txt"), "utf8"), "only two row\n")
    screen.kill()
  })

  it("says with w why it asks, rule by rule", async () => {
    const { screen } = await open([use("execute_command", { command: "touch ran.txt" })])
    screen.type("Work\r")
    await screen.seen(/Needs you .*Tab answers/)
    screen.type("\t")
    await screen.seen("w why")
    screen.type("w")
    await screen.seen(/It would ask\.\nWhy: [^]*To allow it, add to commands\.allow/)
    screen.type("q")
    await screen.seen("w why")
    screen.kill()
  })

  it("for a limit that was reached raises it, and the task goes on", async () => {
    const lists = (id: string) => use("list_files", { path: "." }, id)
    const { screen } = await open([lists("a"), lists("b"), says("At last.")], { args: ["--max-requests", "1"] })
    screen.type("Work\r")
    await screen.seen(/Needs you .*Tab answers/)
    screen.type("\t")
    await screen.seen(/1 Raise the limit to 2 requests and resume/)
    await new Promise((resolve) => setTimeout(resolve, 450))
    screen.type("1")
    await screen.seen(/Enter: Raise the limit/)
    screen.type("\r")
    await screen.seen("Resumed.")
    await screen.seen(/Needs you .*Tab answers/)
    screen.kill()
  })
})

describe("going back", () => {
  it("takes files and conversation back to before something was said, and /undo takes that back", async () => {
    const writes = (content: string, id: string) => use("write_to_file", { path: "new.txt", content }, id)
    const { cwd, screen } = await open([writes("first\n", "a"), says("One."), writes("second\n", "b"), says("Two.")], {
      args: ["--approvals", "edits"]
    })
    const file = path.join(cwd, "new.txt")
    screen.type("Work\r")
    await screen.seen(/One\.[^]*Act ›/)
    screen.type("now again\r")
    // Its turn is over, and it has its process: going back ends that without a word.
    await screen.seen(/Two\.[^]*✓ Done/)
    assert.strictEqual(readFileSync(file, "utf8"), "second\n")
    screen.type("/rewind\r")
    await screen.seen(/^> .* ago {2}now again$/m)
    screen.type("\r")
    await screen.seen(/Before "now again": 1 file would change\./)
    await screen.seen(/^> the files$/m)
    screen.type("both")
    await screen.seen(/^> both$/m)
    screen.type("\r")
    await screen.seen(
      /Went back\. 1 file: new\.txt\. What stands above is kept in the history\. \/undo\s+takes it back\./
    )
    await screen.seen("Act › now again")
    assert.strictEqual(readFileSync(file, "utf8"), "first\n")
    screen.type("\u0003/undo\r")
    await screen.seen(/Taken back\. 1 file: new\.txt\. The conversation is\s+as it was\./)
    assert.strictEqual(readFileSync(file, "utf8"), "second\n")
    assert.isTrue(existsSync(file))
    holdFrames(screen.written())
    screen.kill()
  })
})
