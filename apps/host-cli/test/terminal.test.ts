/** What a person at a terminal is asked, and what counts as the answer. */
import { ScriptedServer } from "@belay/testkit"
import { existsSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { completes, typing, use, write } from "./support/asking.ts"
import { attended, belay, folder, json, stalled } from "./support/cli.ts"
import { begin, delegated, id, owner, started, stopped } from "./support/states.ts"

describe("abandon at a terminal", () => {
  it("asks in plain words; keeping it changes nothing, and abandoning it cuts the link", async () => {
    const home = folder()
    const env = { BELAY_HOME: home }
    const dead = await owner(home)
    await dead.commit(started(1, "Release 2.0"), delegated(1, { 2: "Update the docs" }), begin(2), stopped(2))
    await dead.close()
    const show = async () => json((await belay(["task", "show", id(1), "--output", "json"], env)).stdout)
    const kept = await typing(attended(["task", "abandon", "000002"], env), "2")
    assert.deepStrictEqual(kept.stderr.slice(0, 3), [
      'Abandon "Update the docs"?',
      '"Release 2.0" goes on and is told that this subtask was abandoned. Files it has already changed stay changed. ' +
        "You can still read it, but it will not report back.",
      "  1 Abandon subtask   2 Keep it"
    ])
    assert.deepStrictEqual(
      [kept.code, kept.stdout],
      [0, ['Kept "Update the docs". Go on with: belay task resume 000001']]
    )
    assert.deepStrictEqual(Object.keys((await show()).awaiting), [id(2)])
    const abandoned = await typing(attended(["task", "abandon", "000002"], env), "1")
    assert.deepStrictEqual([abandoned.code, abandoned.stdout.length], [0, 1])
    assert.match(abandoned.stdout[0] ?? "", /^Abandoned "Update the docs"\. /)
    const { awaiting, collected } = await show()
    assert.deepStrictEqual([Object.keys(awaiting), collected[id(2)].outcome], [[], "abandoned"])
  })
})

describe("an ask at a terminal", () => {
  it("is not answered by what was typed before it was shown", async () => {
    const held = { ...write, hold: "gate", holdAt: 0 }
    const server = await ScriptedServer.startServer({
      tasks: [{ match: { prompt: "Work" }, shared: true, answers: [held, completes("Done.")] }]
    })
    const cwd = folder()
    const run = attended(["run", "Work"], { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }, cwd)
    afterAll(async () => {
      await run.kill()
      await server.close()
    })
    // An allowance ahead of the question, as a forged prompt in some output would get it.
    await run.waitForLine("Model ", "stderr")
    run.write("1\ny\n")
    server.release("gate")
    await run.waitForLine("Allow the new file one.txt?", "stderr")
    const { code } = await typing(run, "4")
    assert.deepStrictEqual([code, existsSync(path.join(cwd, "one.txt"))], [0, false])
  })

  it("is not answered by it either when the process is held up right then", async () => {
    const run = stalled()
    run.write("1\n")
    await run.waitForLine("goes on", "stderr")
    const { stdout } = await typing(run, "4")
    assert.deepStrictEqual(stdout, ["4"])
  })

  it("that is answered from elsewhere asks no longer, and what is typed then is no answer", async () => {
    const question = use("ask_followup_question", { question: "which?" }, "q")
    const server = await ScriptedServer.startServer({
      tasks: [{ match: { prompt: "Work" }, shared: true, answers: [write, question, completes("Done.")] }]
    })
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const cwd = folder()
    const run = attended(["run", "Work"], env, cwd)
    afterAll(async () => {
      await run.kill()
      await server.close()
    })
    await run.waitForLine("Allow the new file one.txt?", "stderr")
    const shown = json((await belay(["task", "show", "last", "--output", "json"], env, cwd)).stdout)
    const { askId } = shown.asks.find((ask: any) => ask.open)
    const answered = await belay(["task", "answer", "last", askId, "--deny", "--text", "not that file"], env, cwd)
    assert.deepStrictEqual([answered.code, answered.stderr], [0, []])
    // What waits for no answer any more says so before the next one is asked.
    await run.waitForLine("Answered elsewhere, by cli: denied it: not that file (Write one.txt)", "stderr")
    await run.waitForLine("Question", "stderr")
    const commands = run.waitForLine("/deep-planning", "stderr")
    const again = setInterval(() => run.write("/help\n"), 50)
    await commands
    clearInterval(again)
    // Only the question is asked now: this line answers it.
    const { code, stdout } = await typing(run, "the blue one")
    assert.deepStrictEqual([code, stdout], [0, ["  Done."]])
    const said = JSON.stringify(server.requests.at(-1)?.body.messages)
    assert.match(said, /not that file.*the blue one/)
  })
})
