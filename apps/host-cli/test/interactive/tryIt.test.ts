/** What the demo offers at its end: the interactive terminal on its workspace, with a script for the model. */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { afterAll, assert, describe, it } from "vitest"
import { folder } from "../support/cli.ts"
import * as Screen from "../support/Screen.ts"

/** The moment in which nothing counts is over: nothing on the screen tells of it. */
const deadTime = () => new Promise((resolve) => setTimeout(resolve, 450))

const opened = () => {
  // What is the user's is not seen.
  const env = { ANTHROPIC_API_KEY: "of-the-user", BELAY_HOME: folder(), TERM: "xterm-256color", TMUX: undefined }
  return Screen.openEntry("tryIt", env, folder(), { columns: 80, rows: 30 })
}

const rootOf = (text: string): string => {
  const [, root = ""] = /The sample is in (\S+)/u.exec(text) ?? []
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  return root
}

describe("the end of the demo", () => {
  it("offers to try all of it in the same terminal, and what the script's calls do is real", async () => {
    const screen = opened()
    await screen.seen("[Y/n]")
    screen.type("\r")
    await screen.seen("? keys")
    screen.type("Whatever I say\r")
    const allow = async (what: RegExp, chosen: RegExp) => {
      await screen.seen(what)
      screen.type("\t")
      await screen.seen("number, then Enter")
      await deadTime()
      screen.type("1")
      await screen.seen(chosen)
      screen.type("\r")
    }
    await allow(/Needs you .*node --test/, /Enter: Allow once/)
    await allow(/Needs you .*NOTES\.md/, /Enter: Apply/)
    await screen.seen(/^└ ✓ Read the cart/m)
    await screen.seen("What you may try now")
    screen.type("And now?\r")
    await screen.seen(/^✓ Done .*The script is/m)
    screen.type("\u0004")
    assert.strictEqual(await screen.exit, 0)
    const root = rootOf(screen.lines().join("\n"))
    assert.include(readFileSync(`${root}/shop/NOTES.md`, "utf8"), "The cart counts quantities now.")
  })

  it("leaves it at a no", async () => {
    const screen = opened()
    await screen.seen("[Y/n]")
    screen.type("n\r")
    assert.strictEqual(await screen.exit, 0)
    const text = screen.lines().join("\n")
    assert.notInclude(text, "? keys")
    assert.isFalse(existsSync(`${rootOf(text)}/shop/NOTES.md`))
  })
})
