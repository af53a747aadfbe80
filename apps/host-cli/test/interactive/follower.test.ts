/** Two terminals on one task: both show the same, and what is done in either counts. */
import { existsSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { use } from "../support/asking.ts"
import { holdFrames, open, type Opened, says } from "../support/Interactive.ts"

/** The moment in which nothing counts is over: nothing on the screen tells of it. */
const deadTime = () => new Promise((resolve) => setTimeout(resolve, 450))

const second = (first: Opened) => open([], { of: first, args: ["-c"] })

const linesOf = ({ screen }: Opened) => screen.lines().filter((line) => line.startsWith("  Line "))

describe("two terminals on one task", () => {
  it("show the words as they come, and once", async () => {
    const text = Array.from({ length: 40 }, (_, n) => `Line ${n} of it.`).join("\n")
    // A position past these words: the rest is held.
    const first = await open([{ ...says(text), hold: "rest", holdAt: 30 }])
    first.screen.type("Work\r")
    await first.screen.seen("Line 12 of it.")
    const other = await second(first)
    await other.screen.seen("Line 12 of it.")
    first.server.release("rest")
    await first.screen.seen("Line 39 of it.")
    await other.screen.seen(/Line 39 of it\.[^]*Act ›/)
    assert.deepStrictEqual(
      linesOf(other),
      text.split("\n").map((line) => `  ${line}`)
    )
    assert.deepStrictEqual(linesOf(first), linesOf(other))
    assert.notInclude(other.screen.lines().join("\n"), "began again")
    holdFrames(other.screen.written())
    first.screen.kill()
    other.screen.kill()
  })

  it("have the same ask, of which the first answer counts", async () => {
    const first = await open([use("execute_command", { command: "touch ran.txt" }), says("That was it.")])
    first.screen.type("Work\r")
    await first.screen.seen(/Needs you .*Tab answers/)
    const other = await second(first)
    await other.screen.seen(/Needs you .*Run touch ran\.txt/)
    other.screen.type("\t")
    await other.screen.seen("number, then Enter")
    await deadTime()
    other.screen.type("1")
    await other.screen.seen(/Enter: Allow once/)
    other.screen.type("\r")
    await first.screen.seen("That was it.")
    await other.screen.seen("That was it.")
    assert.notInclude(first.screen.lines().join("\n"), "Tab answers")
    assert.isTrue(existsSync(path.join(first.cwd, "ran.txt")))
    first.screen.kill()
    other.screen.kill()
  })

  it("say to it what is typed in either", async () => {
    const first = await open([{ ...says("It goes on."), hold: "rest", holdAt: 3 }, says("Read it all.")])
    first.screen.type("Work\r")
    await first.server.waitForRequests(1)
    await first.screen.seen(/● Running/)
    const other = await second(first)
    await other.screen.seen("── Work ──")
    other.screen.type("and this, too\r")
    await other.screen.seen("queued  and this, too")
    await first.screen.seen("queued  and this, too")
    first.server.release("rest")
    await other.screen.seen("Read it all.")
    assert.include(JSON.stringify(first.server.requests[1]?.body), "and this, too")
    first.screen.kill()
    other.screen.kill()
  })
})
