/** Start: what is there when `belay` is opened, and what is not. */
import * as TaskMark from "@belay/tool-executor/unstable/task-mark"
import { assert, describe, it } from "vitest"
import { use } from "../support/asking.ts"
import { belay, folder } from "../support/cli.ts"
import { holdFrames, modesOf, open, says } from "../support/Interactive.ts"

describe("the start of the interactive terminal", () => {
  it("takes keys before the engine is there, and an Enter waits for it", async () => {
    const { screen, server } = await open([says("Done with it.")])
    // The composer is there; what runs tasks is being loaded.
    screen.type("Work at once\r")
    const text = await screen.seen("Done with it.")
    assert.include(text, "› Work at once")
    assert.lengthOf(server.requests, 1)
    screen.type("\u0004")
    assert.strictEqual(await screen.exit, 0)
    assert.include(screen.lines().join("\n"), "Go on with: belay -c")
    holdFrames(screen.written())
    assert.deepStrictEqual(modesOf(screen.written()), ["25", "7"])
  })

  it("hears what is switched before the engine is there, and leaves when it is told to", async () => {
    const { screen } = await open([])
    screen.type("\u001B[Z")
    await screen.seen(/^Plan ›/m)
    screen.type("\u0004")
    assert.strictEqual(await screen.exit, 0)
    assert.notInclude(screen.lines().join("\n"), "Go on with")
  })

  it("sends a prompt of the command line once", async () => {
    const { screen, server } = await open([says("I did.")], { args: ["Work on this now"] })
    const text = await screen.seen("I did.")
    assert.strictEqual(text.split("› Work on this now").length, 2)
    screen.type("/quit\r")
    assert.strictEqual(await screen.exit, 0)
    assert.lengthOf(server.requests, 1)
  })

  it("says how to get a key where there is none, and keeps the text", async () => {
    const { screen } = await open([], { env: { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined } })
    screen.type("Work without a key\r")
    const text = await screen.seen(/no key for api\.anthropic\.com\. Run "belay auth"/)
    assert.match(text, /^Act › Work without a key$/m)
    screen.type("\u0003\u0004")
    assert.strictEqual(await screen.exit, 0)
  })

  it("offers a task of this folder that was interrupted, and Enter resumes it", async () => {
    const asks = use("ask_followup_question", { question: "Which of them?" })
    const first = await open([asks, says("The second one it is.")])
    await first.say("Work on one of them", "Which of them?")
    first.screen.type("\u0004")
    assert.strictEqual(await first.screen.exit, 0)
    const next = await open([asks, says("Gone on with.")], { of: first })
    await next.screen.seen(/"Work on one of them" is not finished/)
    next.screen.type("\r")
    await next.screen.seen(/── Work on one of them ──/)
    await next.screen.seen("Resumed.")
    await next.say("The second", "Gone on with.")
    next.screen.type("\u0004")
    assert.strictEqual(await next.screen.exit, 0)
  })

  it("is refused to what a task has started: nobody speaks through that for the person", async () => {
    const refused = open([], { env: { [TaskMark.variable]: "1" } })
    await refused.then(
      () => assert.fail("it opened"),
      (cause: Error) => assert.include(cause.message, "a task started this process")
    )
  })

  it("exits with 2 without a terminal, and writes nothing but its line", async () => {
    for (const args of [[], ["-c"]]) {
      const { code, stderr, stdout } = await belay(args, { BELAY_HOME: folder() })
      assert.strictEqual(code, 2)
      assert.deepStrictEqual(stdout, [])
      assert.lengthOf(stderr, 1)
    }
  })

  it("is used as 80x24 in a terminal that says it is 0x0", async () => {
    const { screen } = await open([says("Small, and there.")], { size: { columns: 0, rows: 0 } })
    screen.type("Work\r")
    await screen.seen("Small, and there.")
    screen.type("\u0004")
    assert.strictEqual(await screen.exit, 0)
  })
})

describe("a service that refuses", () => {
  it("is told of once", async () => {
    const { screen } = await open([{ error: { status: 400 } }])
    screen.type("Work\r")
    const text = await screen.seen("‖ Interrupted: the service failed.")
    assert.strictEqual(text.split("refused the request").length, 2)
    screen.type("\u0004")
    assert.strictEqual(await screen.exit, 0)
  })
})
