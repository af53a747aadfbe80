/** Condensing that a person is asked about or asks for, and that ends in between. */
import { TaskHistory } from "@belay/history-store"
import { UserPort, TaskEngine } from "@belay/task-engine"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { calls, completes, make, recorded, requestsOf, resume, run, script } from "./world.ts"
import { small, read, files, atMark, stepsOf, breaks, isWhole, session, sums, talk } from "./filled.ts"

describe("a conversation that fills the model's context", () => {
  it.live("is condensed after a question where that is not automatic; going on after a stop for it is a yes", () =>
    Effect.gen(function* () {
      const names = ["a.txt", "b.txt", "c.txt", "d.txt"]
      const world = yield* make([script("ask", ...names.map((name) => read(name)), completes("done"))])
      files(world, names)
      const { id, record, events } = yield* session(world, "ask", { autoCondense: false })
      assert.deepInclude(record.status === "interrupted" ? record.interruption : {}, { reason: "context" })
      const asked = events.find((event) => event.type === "ask")
      assert.match(
        asked?.question ?? "",
        /^The conversation fills \d+ % of the model's context\. Condense older parts\?$/u
      )
      assert.strictEqual(requestsOf(world, "ask").length, 3)
      const ended = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          return { ...(yield* resume(id)), events }
        })
      )
      assert.strictEqual(ended.record.status, "completed")
      assert.deepStrictEqual(stepsOf(ended.events), ["outputs"])
    })
  )

  it.live("is left as it is when the person says so, and asked about again when it has grown", () =>
    Effect.gen(function* () {
      const names = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]
      const world = yield* make([script("no", ...names.map((name) => read(name)), completes("done"))])
      files(world, names)
      const answers = ["Not now", "Condense"]
      const asked: Array<string> = []
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.succeed({ decision: "allow" as const }),
        answer: ({ kind, options = [] }) =>
          Effect.sync(() => {
            asked.push(kind, ...options)
            return { text: answers.shift() ?? "Stop" }
          })
      })
      const steps = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          yield* run(world.task("no", {}, { ...small, autoCondense: false }))
          return stepsOf(events)
        }),
        { person }
      )
      assert.deepStrictEqual(asked, ["context", "Condense", "Not now", "context", "Condense", "Not now"])
      assert.deepStrictEqual(steps, ["outputs"])
      assert.strictEqual(breaks(requestsOf(world, "no")), 1)
    })
  )

  it.live("is summed up at the user's word, whatever its size, and again only at another word", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "words",
          sums("SHORT FORM"),
          { ...calls(["read_file", { path: "a.txt" }]), hold: "first" },
          completes("done")
        )
      ])
      files(world, ["a.txt"])
      const steps = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("words", {}, small))
          yield* Effect.forkScoped(
            Effect.gen(function* () {
              yield* Effect.promise(() => world.server.waitForRequests(1))
              yield* engine.send(id, "/compact the colours")
              world.server.release("first")
            })
          )
          yield* engine.run(id)
          return stepsOf(events)
        })
      )
      assert.deepStrictEqual(steps, ["summary"])
      const requests = requestsOf(world, "words")
      const asking = requests.filter((body) => JSON.stringify(body).includes("Keep above all: the colours"))
      assert.strictEqual(asking.length, 1)
      const after = requests.filter((body) => JSON.stringify(body).includes("SHORT FORM"))
      assert.notInclude(JSON.stringify(after), "/compact")
      isWhole(requests)
    })
  )

  for (const place of [
    "condense.summary.before",
    "condense.summary.after",
    "condense.commit.before",
    "condense.commit.after"
  ]) {
    it.live(`that ends at ${place} goes on whole, and is condensed once`, () =>
      Effect.gen(function* () {
        const world = yield* make([script("crash", sums("SUMMED UP"), atMark(completes("done")), ...talk)])
        files(world, [])
        const failpoints = (name: string) => {
          if (name === place) throw new Error("crash")
        }
        const before = yield* world.session(
          Effect.gen(function* () {
            const engine = yield* TaskEngine
            const id = yield* engine.create(world.task("crash", {}, small))
            yield* Effect.exit(engine.run(id))
            const history = yield* TaskHistory
            return { id, log: yield* history.messages(id) }
          }),
          { failpoints }
        )
        const after = yield* world.session(
          Effect.gen(function* () {
            const ended = yield* resume(before.id)
            const history = yield* TaskHistory
            const events = yield* history.events(before.id, 1, 10_000)
            return { ...ended, events, log: yield* history.messages(before.id) }
          })
        )
        assert.strictEqual(after.record.status, "completed")
        assert.deepStrictEqual(stepsOf(after.events), ["summary"])
        assert.deepStrictEqual(after.log.slice(0, before.log.length), before.log)
        isWhole(requestsOf(world, "crash"))
      })
    )
  }
})
