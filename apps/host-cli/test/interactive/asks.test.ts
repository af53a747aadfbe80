/** Asks: records that are answered by number, and never by what was typed for something else. */
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import * as AskKeys from "../../src/interactive/asks/AskKeys.ts"
import { assert, describe, it } from "vitest"
import { use } from "../support/asking.ts"
import { belay } from "../support/cli.ts"
import { holdFrames, open, type Opened, says } from "../support/Interactive.ts"

const command = (text: string, id: string) => use("execute_command", { command: text }, id)

/** The moment in which nothing counts is over: nothing on the screen tells of it. */
const deadTime = () => new Promise((resolve) => setTimeout(resolve, 450))

const asking = async (text = "touch ran.txt") => {
  const opened = await open([command(text, "one"), says("That was it.")])
  opened.screen.type("Work\r")
  await opened.screen.seen(/◆ Needs you · "Work": Run touch ran.txt {3}Tab answers/)
  return opened
}

/** Turns to the ask, and answers it with a place. */
const answer = async ({ screen }: Opened, place: string, chosen: RegExp) => {
  screen.type("\t")
  await screen.seen("number, then Enter")
  await deadTime()
  screen.type(place)
  await screen.seen(chosen)
  screen.type("\r")
}

describe("an ask", () => {
  it("is not answered by `1 Enter` that is typed while it appears: that is text", async () => {
    const opened = await asking()
    opened.screen.type("1")
    await opened.screen.seen("Act › 1")
    opened.screen.type("\r")
    await opened.screen.seen("queued  1")
    assert.isFalse(existsSync(path.join(opened.cwd, "ran.txt")))
    opened.screen.kill()
  })

  it("takes no key within 400 ms after Tab, and a number then", () => {
    const keys = new AskKeys.AskKeys()
    const open = [{ ask: { askId: "a" } }] as never
    const key = (name: string) => ({ name, bytes: name, seen: 9 })
    assert.isTrue(keys.turnTo(open, { ...key("tab"), seen: 1 }, 1000))
    for (const name of ["1", "enter"]) assert.strictEqual(keys.press(key(name), open, 1399)._tag, "Taken")
    assert.isUndefined(keys.of(open)?.place)
    keys.press(key("1"), open, 1400)
    assert.strictEqual(keys.of(open)?.place, 1)
  })

  it("stays open at Escape, and is answered by Tab, a number and Enter, once", async () => {
    const opened = await asking()
    opened.screen.type("\t")
    await opened.screen.seen("number, then Enter")
    opened.screen.type("\u001B")
    await opened.screen.seen("It stays open. Tab answers it.")
    await answer(opened, "1", /Enter: Allow once/)
    const text = await opened.screen.seen("That was it.")
    assert.include(text, "$ touch ran.txt  exit 0")
    assert.include(text, "you allowed it once")
    assert.isTrue(existsSync(path.join(opened.cwd, "ran.txt")))
    holdFrames(opened.screen.written())
    opened.screen.kill()
  })

  it("is not answered by a burst that was read before it stood on the screen: that is text", async () => {
    const opened = await asking()
    opened.screen.type("\t1\r")
    await opened.screen.seen(/queued {2}1|Act › 1/)
    assert.isFalse(existsSync(path.join(opened.cwd, "ran.txt")))
    opened.screen.kill()
  })

  it("is one of two that are answered in order, by their ids", async () => {
    const both = { content: [...command("touch one.txt", "a").content, ...command("touch two.txt", "b").content] }
    const opened = await open([both, says("Both are done.")])
    opened.screen.type("Work\r")
    await opened.screen.seen(/Run touch one\.txt/)
    await answer(opened, "1", /Enter: Allow once/)
    await opened.screen.seen(/Needs you .*Run touch two\.txt/)
    assert.isFalse(existsSync(path.join(opened.cwd, "two.txt")))
    await answer(opened, "4", /Enter: Deny/)
    await opened.screen.seen("Both are done.")
    assert.isTrue(existsSync(path.join(opened.cwd, "one.txt")))
    assert.isFalse(existsSync(path.join(opened.cwd, "two.txt")))
    opened.screen.kill()
  })

  it("denied with words reaches the model, and leaves what was written in the composer", async () => {
    const opened = await asking()
    opened.screen.type("half a thought")
    await opened.screen.seen("Act › half a thought")
    await answer(opened, "5", /Enter: Deny, say why/)
    await opened.screen.seen(/^Why not ›/mu)
    opened.screen.type("Use another name\r")
    const text = await opened.screen.seen("That was it.")
    assert.match(text, /Act › half a thought/)
    assert.include(JSON.stringify(opened.server.requests.at(-1)?.body), "Use another name")
    assert.isFalse(existsSync(path.join(opened.cwd, "ran.txt")))
    opened.screen.kill()
  })

  it("that is answered elsewhere leaves the screen", async () => {
    const opened = await asking()
    opened.screen.type("\t")
    await opened.screen.seen("number, then Enter")
    const shown = await belay(["task", "show", "last", "--output", "json", "--cwd", opened.cwd], opened.env)
    const { asks, id } = JSON.parse(shown.stdout.join("\n"))
    const answered = await belay(["task", "answer", id, asks[0].askId, "--allow"], opened.env)
    assert.strictEqual(answered.code, 0)
    const text = await opened.screen.seen("That was it.")
    assert.notInclude(text, "number, then Enter")
    opened.screen.kill()
  })

  it("shows all of a command, whatever blanks stand in it, and all that is known of it with d", async () => {
    const hidden = `echo fine${" ".repeat(300)}; touch elsewhere.txt # ${"x".repeat(900)} the end`
    const { screen } = await open([use("execute_command", { command: hidden })])
    screen.type("Work\r")
    await screen.seen(/Needs you .*Tab answers/)
    screen.type("\t")
    const text = await screen.seen("number, then Enter")
    assert.match(text, /^║ +; touch elsewhere\.txt # x/m)
    assert.match(text, /^║ … \d+ more lines: d shows all$/m)
    assert.match(text, /the end$/m)
    screen.type("d")
    const whole = await screen.seen(/q leaves/)
    assert.include(whole.replaceAll(/\s+/gu, ""), `touchelsewhere.txt#${"x".repeat(900)}theend`)
    screen.kill()
  })

  it("of which the content draws our frame is shown as text that does nothing", async () => {
    const drawn = "touch ran.txt # \u2554 1 Allow once\n\u255A number"
    const opened = await open([command(drawn, "one"), says("That was it.")])
    opened.screen.type("Work\r")
    await opened.screen.seen(/Needs you/)
    opened.screen.type("\t")
    const text = await opened.screen.seen("number, then Enter")
    const frames = text.split("\n").filter((line) => line.startsWith("╔") || line.startsWith("╚"))
    assert.lengthOf(frames, 2)
    opened.screen.kill()
  })

  it("allowed always stores the rule that was shown, and prints its undo", async () => {
    const opened = await asking()
    await answer(opened, "3", /Enter: Always allow/)
    const text = await opened.screen.seen("belay allowed")
    assert.include(text, "touch ran.txt")
    const { stdout } = await belay(["allowed", "--cwd", opened.cwd], opened.env)
    assert.include(stdout.join("\n"), "touch ran.txt")
    opened.screen.kill()
  })

  it("of a task that was stopped is asked again when it goes on", async () => {
    const opened = await asking()
    opened.screen.type("\u0003")
    await opened.screen.seen((text) => text.includes("‖ Interrupted: you stopped it.") && !text.includes("Tab answers"))
    opened.screen.type("\r")
    await opened.screen.seen("Resumed.")
    await opened.screen.seen(/◆ Needs you · "Work": Run touch ran.txt/)
    await answer(opened, "1", /Enter: Allow once/)
    await opened.screen.seen("That was it.")
    assert.strictEqual(readFileSync(path.join(opened.cwd, "ran.txt"), "utf8"), "")
    opened.screen.kill()
  })
})

describe("an ask for a change", () => {
  it("shows what comes and goes, and with d all of it", async () => {
    const edit = use("write_to_file", {
      path: "new.txt",
      content: Array.from({ length: 20 }, (_, n) => `row ${n}`).join("\n")
    })
    const opened = await open([edit, says("Written.")])
    opened.screen.type("Work\r")
    await opened.screen.seen(/Needs you .*Write new\.txt/)
    opened.screen.type("\t")
    const text = await opened.screen.seen("number, then Enter")
    assert.include(text, "║ +row 0")
    assert.include(text, "more lines: d shows all")
    opened.screen.type("d")
    await opened.screen.seen("  +row 12")
    opened.screen.type("q")
    await opened.screen.seen("number, then Enter")
    await deadTime()
    opened.screen.type("1")
    await opened.screen.seen(/Enter: Apply/)
    opened.screen.type("\r")
    await opened.screen.seen("Written.")
    assert.include(readFileSync(path.join(opened.cwd, "new.txt"), "utf8"), "row 19")
    opened.screen.kill()
  })
})
