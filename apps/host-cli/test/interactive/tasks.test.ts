/** Tasks: several in one terminal, what is queued, and the mode of one. */
import { assert, describe, it } from "vitest"
import { holdFrames, open, says } from "../support/Interactive.ts"

describe("tasks in the interactive terminal", () => {
  it("switch to another mode, which the composer names", async () => {
    const { screen, server } = await open([says("A plan it is.")])
    await screen.seen("? keys")
    screen.type("\u001B[Z")
    await screen.seen(/^Plan ›/m)
    screen.type("Work\r")
    await screen.seen("A plan it is.")
    assert.include(JSON.stringify(server.requests[0]?.body), "plan")
    screen.kill()
  })

  it("are begun and opened beside each other, and each is shown as it is", async () => {
    const { screen } = await open([says("The first answer."), says("A later answer.")])
    screen.type("Work one\r")
    await screen.seen("The first answer.")
    screen.type("/new\r")
    await screen.seen("begins a new task")
    screen.type("Work two\r")
    await screen.seen(/── Work two ─/)
    await screen.seen(/› Work two\n\n {2}The first answer\./)
    screen.type("/tasks\r")
    const text = await screen.seen("/open ID shows one.")
    const [, id = ""] = /^(\S+) {2}Work one/m.exec(text) ?? []
    screen.type(`/open ${id}\r`)
    await screen.seen(/── Work one ─{20}/)
    holdFrames(screen.written())
    screen.kill()
  })

  it("queue what is sent while they work, and give the last of it back", async () => {
    const { screen, server } = await open([
      { ...says("It goes on."), hold: "rest", holdAt: 3 },
      says("Both were read.")
    ])
    screen.type("Work\r")
    await server.waitForRequests(1)
    await screen.seen(/● Running/)
    screen.type("first more\r")
    await screen.seen("queued  first more")
    screen.type("second more\r")
    await screen.seen("queued  second more")
    screen.type("\u001B[1;3A")
    await screen.seen("Act › second more")
    screen.type("\r")
    await screen.seen("queued  second more")
    server.release("rest")
    const text = await screen.seen("Both were read.")
    assert.isBelow(text.indexOf("› first more"), text.indexOf("› second more"))
    screen.kill()
  })
})
