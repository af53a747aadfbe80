/** Tasks: several in one terminal, what is queued, and the mode of one. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { completes, use } from "../support/asking.ts"
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
    screen.type("half a thought")
    await screen.seen("Act › half a thought")
    screen.type("\u0014")
    await screen.seen(/^> . Work two .*\n {2}. Work one /m)
    screen.type("one")
    await screen.seen(/^> . Work one .*\n {2}type to filter/m)
    await screen.seen(/^Open › one$/m)
    screen.type("\r")
    await screen.seen(/── Work one ─{20}/)
    await screen.seen("Act › half a thought")
    holdFrames(screen.written())
    screen.kill()
  })

  it("are chosen first where --resume names none", async () => {
    const first = await open([says("The first answer."), says("A later answer.")])
    await first.say("Work one", "The first answer.")
    await first.say("/new", "begins a new task")
    await first.say("Work two", /› Work two\n\n {2}The first answer\./)
    first.screen.type("\u0004")
    assert.strictEqual(await first.screen.exit, 0)
    const next = await open([], { of: first, args: ["--resume"], isComposed: false })
    await next.screen.seen(/^> . Work two .*\n {2}. Work one /m)
    next.screen.type("\u001B[B\r")
    await next.screen.seen(/── Work one ──/)
    next.screen.kill()
  })

  it("are stopped from the list, once Tab has turned to it", async () => {
    const { screen, server } = await open([{ ...says("It goes on."), hold: "rest", holdAt: 3 }])
    screen.type("Work\r")
    await server.waitForRequests(1)
    await screen.seen(/● Running/)
    screen.type("\u0014")
    await screen.seen(/^> ● Work /m)
    screen.type("s")
    await screen.seen(/^Open › s$/m)
    screen.type("\u007F\t")
    await screen.seen("s stops · r resumes")
    screen.type("s")
    await screen.seen(/^> ‖ Work /m)
    screen.kill()
  })

  it("show the tree of their subtasks with steps and cost, and a subtask is opened from the list", async () => {
    const parts = ["the parser", "the docs"]
    const begins = {
      content: parts.flatMap((part) => use("new_task", { prompt: `Work on ${part}` }, part).content)
    }
    const asks = use("ask_followup_question", { question: "Which of them?" })
    const { screen } = await open([begins, asks, asks], {
      scripts: [
        ["Work on the parser", [asks]],
        ["Work on the docs", [completes("The docs are there.")]]
      ]
    })
    screen.type("Work\r")
    await screen.seen(/^├ ◆ Work on the parser .*Needs you/m)
    await screen.seen(/^└ ✓ Work on the docs .*Done: The docs are there\./m)
    screen.type("\u0014parser")
    await screen.seen(/^Open › parser$/m)
    screen.type("\r")
    await screen.seen(/── Work on the parser ─/)
    await screen.seen(/^├ ◆ Needs you/m)
    holdFrames(screen.written())
    screen.kill()
  })

  it("have a checklist, of which an item is checked by its number and nothing else changes", async () => {
    const list = "- [x] Read it\n- [ ] Write it\n- [ ] Test it"
    const asks = use("ask_followup_question", { question: "Which of them?", task_progress: list })
    const { screen, home } = await open([asks])
    screen.type("Work\r")
    await screen.seen(/Which of them\?[^]*1\/3/)
    const folder = `${home}/tasks/${readdirSync(`${home}/tasks`)[0]}`
    const file = `${folder}/${readdirSync(folder).find((name) => name.startsWith("focus_chain"))}`
    const before = readFileSync(file, "utf8").split("\n")
    screen.type("/checklist\r")
    await screen.seen(/1 {2}\[x\] Read it\n2 {2}\[ \] Write it\n3 {2}\[ \] Test it/)
    screen.type("/checklist 3\r")
    await screen.seen("[x] Test it")
    await screen.seen(/· 2\/3|2\/3 ·/)
    const after = readFileSync(file, "utf8").split("\n")
    assert.lengthOf(
      after.filter((line, index) => line !== before[index]),
      1
    )
    screen.type("/checklist 9\r")
    await screen.seen("the checklist has no item 9")
    screen.kill()
  })

  it("get no command that nobody knows: it stays in the composer, and one line says so", async () => {
    const { screen, server } = await open([])
    await screen.seen("? keys")
    screen.type("/chekclist 3\r")
    await screen.seen('No command "/chekclist": nothing was sent. Did you mean /checklist?')
    await screen.seen("Act › /chekclist 3")
    assert.lengthOf(server.requests, 0)
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
    // Up, where nothing is written, is the same.
    screen.type("\u001B[A")
    await screen.seen("Act › second more")
    screen.type("\r")
    await screen.seen("queued  second more")
    server.release("rest")
    const text = await screen.seen("Both were read.")
    assert.isBelow(text.indexOf("› first more"), text.indexOf("› second more"))
    screen.kill()
  })
})
