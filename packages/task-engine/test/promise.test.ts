/** The engine as a program without effects has it: tasks that survive it, asks that anybody answers, aborts that interrupt. */
import { assert, describe, it } from "@effect/vitest"
import { createBelay, RequestRefused, UnknownAsk, type Belay, type BelayOptions } from "@belay/task-engine/promise"
import { defineModel, type ContentBlock, type ModelRequest } from "@belay/model-client/promise"
import { defineTool } from "@belay/tool-executor/promise"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach } from "vitest"

const folders: Array<string> = []
const folder = (): string => {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "promise-")))
  folders.push(made)
  return made
}
afterEach(() => {
  for (const made of folders.splice(0)) fs.rmSync(made, { recursive: true, force: true })
})

const call = (id: string, name: string, input: object): ContentBlock => ({ type: "tool_use", id, name, input })

const results = ({ messages }: ModelRequest): number =>
  messages.reduce((sum, { content }) => sum + content.filter(({ type }) => type === "tool_result").length, 0)

/** A model that gives one answer after the other, by how many results it has seen. */
const scripted = (...answers: ReadonlyArray<ContentBlock>) =>
  defineModel({
    stream: async function* (request) {
      const content = answers[results(request)] ?? assert.fail("the model is asked too often")
      yield { type: "finished", content: [content] }
    }
  })

const finish = call("end", "attempt_completion", { result: "Done." })

const writes = scripted(call("one", "write_to_file", { path: "a.txt", content: "1\n" }), finish)

const open = (options: Partial<BelayOptions> & Pick<BelayOptions, "model">): Promise<Belay> =>
  createBelay({ directory: path.join(folder(), "data"), ...options })

const all = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const value of values) found.push(value)
  return found
}

const asked = async (belay: Belay) => {
  for await (const event of belay.events()) if (event.type === "ask") return event
  return assert.fail("nothing was asked")
}

describe("the engine without effects", () => {
  it("runs a task to its end, and tells its events, stored and live", async () => {
    const workspace = folder()
    await using belay = await open({ model: writes, approvals: "edits" })
    const task = await belay.start({ prompt: "Write a file", workspace })
    const seen: Array<string> = []
    for await (const event of task.events()) if (event.seq !== undefined) seen.push(event.type)
    const { record } = await task.result
    assert.strictEqual(record.status === "completed" ? record.result : record.status, "Done.")
    assert.strictEqual(fs.readFileSync(path.join(workspace, "a.txt"), "utf8"), "1\n")
    assert.strictEqual(seen[0], "task.created")
    assert.strictEqual(seen.filter((type) => type === "task.completed").length, 1)
    const stored: Array<string> = []
    for await (const { type } of belay.history.events(task.id)) stored.push(type)
    assert.deepStrictEqual(seen, stored)
    assert.deepStrictEqual(
      (await all(belay.tasks())).map(({ id }) => id),
      [task.id]
    )
  })

  it("lets anybody answer what is asked, once", async () => {
    await using belay = await open({ model: writes })
    const waiting = asked(belay)
    const task = await belay.start({ prompt: "Write a file", workspace: folder() })
    const { askId } = await waiting
    assert.deepStrictEqual(
      (await belay.asks()).map((ask) => [ask.askId, ask.taskId, ask.title]),
      [[askId, task.id, "Write a file"]]
    )
    const wrong: unknown = await belay.answer("no-such-ask", { decision: "allow" }).catch((cause: unknown) => cause)
    assert.instanceOf(wrong, UnknownAsk)
    await belay.answer(askId, { decision: "allow" })
    assert.strictEqual((await task.result).record.status, "completed")
    const late: unknown = await belay.answer(askId, { decision: "deny" }).catch((cause: unknown) => cause)
    assert.isTrue(late instanceof UnknownAsk || late instanceof RequestRefused)
    assert.deepStrictEqual(await belay.asks(), [])
  })

  it("asks the person of the program, and takes what they throw for no answer", async () => {
    const approve = async () => ({ decision: "allow" as const })
    await using belay = await open({ model: writes, person: { approve } })
    const task = await belay.start({ prompt: "Write a file", workspace: folder() })
    assert.strictEqual((await task.result).record.status, "completed")

    const fails = async (): Promise<never> => {
      throw new Error("the window is gone")
    }
    await using other = await open({ model: writes, person: { approve: fails } })
    const waiting = asked(other)
    const shown = await other.start({ prompt: "Write a file", workspace: folder() })
    await other.answer((await waiting).askId, { decision: "allow" })
    assert.strictEqual((await shown.result).record.status, "completed")
  })

  it("denies what would ask where nobody is there", async () => {
    const workspace = folder()
    await using belay = await open({ model: writes, person: "nobody" })
    const task = await belay.start({ prompt: "Write a file", workspace })
    assert.strictEqual((await task.result).record.status, "completed")
    assert.isFalse(fs.existsSync(path.join(workspace, "a.txt")))
  })

  it("interrupts the task when its signal aborts, and goes on with it later", async () => {
    const controller = new AbortController()
    await using belay = await open({ model: writes })
    const waiting = asked(belay)
    const task = await belay.start({ prompt: "Write a file", workspace: folder(), signal: controller.signal })
    await waiting
    controller.abort()
    const { record } = await task.result
    assert.strictEqual(record.status === "interrupted" ? record.interruption.reason : record.status, "user")
    assert.deepStrictEqual(await belay.recover(), [], "a person has stopped it")
    const again = asked(belay)
    await task.resume()
    await belay.answer((await again).askId, { decision: "allow" })
    assert.strictEqual((await task.result).record.status, "completed")
    const none = belay.start({ prompt: "x", workspace: folder(), signal: AbortSignal.abort(new Error("no")) })
    assert.strictEqual(((await none.catch((cause: unknown) => cause)) as Error).message, "no")
  })

  it("goes on with what an earlier life of the program has left", async () => {
    const directory = path.join(folder(), "data")
    const workspace = folder()
    const first = await open({ model: writes, directory, kind: "bot" })
    const waiting = asked(first)
    const { id } = await first.start({ prompt: "Write a file", workspace })
    await waiting
    await first.close()
    await using other = await open({ model: writes, directory, kind: "another" })
    assert.deepStrictEqual(await other.recover(), [])
    await using second = await open({ model: writes, directory, kind: "bot" })
    const again = asked(second)
    const [task] = await second.recover()
    assert.strictEqual(task?.id, id)
    await second.answer((await again).askId, { decision: "allow" })
    assert.strictEqual((await task?.result)?.record.status, "completed")
    assert.isTrue(fs.existsSync(path.join(workspace, "a.txt")))
  })

  it("gives tasks the tools of the program, each with a setting of its own", async () => {
    const done: Array<unknown> = []
    const deploy = defineTool<{ readonly to: string }>({
      name: "deploy",
      description: "Deploy",
      parameters: { properties: { to: { type: "string" } }, required: ["to"] },
      execute: async ({ to }) => {
        done.push(to)
        return `deployed to ${to}`
      }
    })
    const model = scripted(call("one", "deploy", { to: "test" }), finish)
    await using belay = await open({ model, tools: [deploy], workspaceTools: false, person: "nobody" })
    await (
      await belay.start({ prompt: "Deploy", workspace: folder() })
    ).result
    assert.deepStrictEqual(done, [], "it asks, and nobody is there")
    await using allowed = await open({
      model,
      tools: [{ ...deploy, approval: "allow" }],
      workspaceTools: false,
      person: "nobody"
    })
    await (
      await allowed.start({ prompt: "Deploy", workspace: folder() })
    ).result
    assert.deepStrictEqual(done, ["test"])
    const denied = { tools: { deploy: "deny" } }
    await (
      await allowed.start({ prompt: "Deploy", workspace: folder(), approvals: denied })
    ).result
    assert.deepStrictEqual(done, ["test"], "what the approvals name counts")
  })
})
