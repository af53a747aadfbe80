import { Recording, type Scenario, ScriptedModel, ScriptedServer } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import { assistant, user } from "./harness.ts"

const never = new AbortController().signal

const scenario: Scenario.Scenario = {
  tasks: [
    {
      match: { prompt: "tidy" },
      answers: [
        { content: [{ type: "tool_use", name: "read_file", input: { path: "a.ts" } }] },
        { content: [{ type: "text", text: "All of the files have been tidied up." }], usage: { output_tokens: 7 } }
      ]
    }
  ]
}

const first = { taskId: "t1", messages: [user("tidy up")] }
const second = { taskId: "t1", messages: [user("tidy up"), assistant("reading"), user("result")] }

const all = async <E>(events: AsyncIterable<E>): Promise<ReadonlyArray<E>> => {
  const found: Array<E> = []
  for await (const event of events) found.push(event)
  return found
}

const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "no failure",
    (cause: Error) => cause.message
  )

describe("a scripted model in this process", () => {
  it("gives the same answer to the same request, in pieces and then whole", async () => {
    const model = ScriptedModel.make(scenario)
    const events = await all(model.stream(second, never))
    assert.deepStrictEqual(events, await all(model.stream(second, never)))
    assert.deepStrictEqual(events.slice(0, -1), [
      { type: "text", text: "All of the files have be" },
      { type: "text", text: "en tidied up." }
    ])
    assert.deepStrictEqual(events.at(-1), {
      type: "finished",
      content: [{ type: "text", text: "All of the files have been tidied up." }],
      stopReason: "end_turn",
      usage: { inputTokens: 100, outputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0 }
    })
    assert.deepStrictEqual(model.requests, [second, second])
  })

  it("says why it has no answer", async () => {
    const model = ScriptedModel.make(scenario)
    const other = { taskId: "t2", messages: [user("something else")] }
    assert.match(await failure(all(model.stream(other, never))), /no script of the scenario fits/)
  })

  it("holds an answer until its gate is opened or the request is aborted", async () => {
    const model = ScriptedModel.make({ tasks: [{ match: {}, shared: true, answers: [{ hold: "gate" }] }] })
    const abort = new AbortController()
    const held = all(model.stream(first, never))
    const ended = failure(all(model.stream({ ...first, taskId: "t2" }, abort.signal)))
    abort.abort(new Error("stopped"))
    assert.strictEqual(await ended, "stopped")
    model.release("gate")
    assert.strictEqual((await held).length, 1)
  })
})

describe("a recording", () => {
  it("is replayed by the model and by the server, under another id", async () => {
    const model = ScriptedModel.make(scenario)
    const recording = Recording.make(model.stream)
    const asked = [await all(recording.stream(first, never)), await all(recording.stream(second, never))]
    const kept: Scenario.Scenario = JSON.parse(JSON.stringify(recording.scenario()))
    const replayed = ScriptedModel.make(kept)
    const other = { taskId: "t9" }
    assert.deepStrictEqual(
      [
        await all(replayed.stream({ ...first, ...other }, never)),
        await all(replayed.stream({ ...second, ...other }, never))
      ],
      asked
    )
    const server = await ScriptedServer.startServer(kept)
    const body = JSON.stringify({ model: "any", messages: second.messages })
    const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body })
    const { content } = (await response.json()) as { readonly content: unknown }
    await server.close()
    assert.deepStrictEqual(content, [{ type: "text", text: "All of the files have been tidied up." }])
  })

  it("keeps no answer that did not come whole", async () => {
    async function* broken(): AsyncGenerator<ScriptedModel.Event> {
      yield { type: "text", text: "All of" }
      throw new Error("lost")
    }
    const recording = Recording.make(broken)
    assert.strictEqual(await failure(all(recording.stream(first, never))), "lost")
    assert.deepStrictEqual(recording.scenario(), { tasks: [] })
  })
})
