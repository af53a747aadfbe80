/** What a person has set for the terminal. */
import { assert, describe, it } from "vitest"
import { belay, folder } from "../support/cli.ts"
import { holdFrames, modesOf, open, says } from "../support/Interactive.ts"

/** Folders in whose settings these are. */
const set = async (...settings: ReadonlyArray<readonly [name: string, value: string]>) => {
  const home = folder()
  for (const [name, value] of settings) {
    // oxlint-disable-next-line no-await-in-loop
    assert.strictEqual((await belay(["config", "set", name, value], { BELAY_HOME: home })).code, 0)
  }
  return { cwd: folder(), home, url: "" }
}

const long = `It is ${"a paragraph of many words that goes on ".repeat(8)}to its end.`

describe("a setting of the terminal", () => {
  it("stops the task at the first Escape", async () => {
    const of = await set(["keys.escape", "once"])
    const { screen } = await open([{ ...says("It goes on."), hold: "never", holdAt: 3 }], { of })
    await screen.seen("? keys")
    screen.type("Work\r")
    await screen.seen("Running")
    screen.type("\u001B")
    await screen.seen("‖ Interrupted")
    screen.kill()
  })

  it("leaves it to the terminal to wrap what is said, whose end is seen while it comes", async () => {
    const of = await set(["terminal.wrap", "terminal"])
    const { screen } = await open([{ ...says(`${long}\n\nThat was it.`), hold: "end", holdAt: 14 }, says("On.")], {
      of
    })
    await screen.seen("? keys")
    screen.type("Work\r")
    await screen.seen((text) => /many words/u.test(text) && !text.includes("to its end"))
    assert.isEmpty(screen.overflown())
    screen.type("\u0003")
    await screen.seen("Interrupted")
    screen.kill()
    const { screen: whole } = await open([says(`${long}\n\nThat was it.`)], {
      of: await set(["terminal.wrap", "terminal"])
    })
    await whole.seen("? keys")
    whole.type("Work\r")
    await whole.seen("That was it.")
    // One line of the terminal's, in as many rows as it needs.
    assert.isAtLeast(whole.overflown().length, 4)
    assert.include(whole.lines().join(""), `  ${long}`)
    holdFrames(whole.written())
    whole.kill()
  })

  it("names the terminal, and takes the name back at the end", async () => {
    const of = await set(["terminal.title", "true"])
    const { screen } = await open([says("Done with it.")], { of })
    await screen.seen("? keys")
    screen.type("Work\r")
    await screen.seen("Done with it.")
    screen.type("\u0004")
    await screen.exit
    const titles = screen.written()
    // oxlint-disable-next-line no-control-regex
    assert.match(titles, /\[22;2t[^]*\]2;Work\u0007[^]*\[23;2t/u)
    assert.isBelow(titles.indexOf("[22;2t"), titles.indexOf("]2;"))
  })

  it("tells keys apart where that is wanted, and nowhere where it is not, and all is off afterwards", async () => {
    for (const [value, env, on] of [
      ["enhanced", { TMUX: "/tmp/tmux,1,0" }, true],
      ["plain", {}, false]
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const of = await set(["terminal.keys", value], ["terminal.escapeMs", "40"])
      // oxlint-disable-next-line no-await-in-loop
      const { screen } = await open([], { of, env })
      // oxlint-disable-next-line no-await-in-loop
      await screen.seen("claude")
      assert.strictEqual(modesOf(screen.written()).includes("keys"), on)
      screen.type("\u0004")
      // oxlint-disable-next-line no-await-in-loop
      await screen.exit
      assert.deepStrictEqual(modesOf(screen.written()), ["25", "7"])
    }
  })
})
