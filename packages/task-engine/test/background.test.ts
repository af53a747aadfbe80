import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, recorded, requestsOf, results, run, script, waitFor } from "./world.ts"
import { behind, sub, waits, held, created, asked, told, collected } from "./behind.ts"

describe("background subtasks", () => {
  it.live("answer their call at once, and report as a message before the next request", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(behind("part one", "n1")),
          held(calls(["list_files", { path: "." }, "l"]), "root"),
          completes("done")
        ),
        script("part one", held(completes("first"), "one"))
      ])
      const { events, id, messages, given } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const finished = yield* eventually((event) => event.type === "task.completed")
          const { id, running } = yield* created(world.task("root"))
          // Both are at work at the same time.
          yield* waitFor(world, () => asked(world, "root") === 2 && asked(world, "part one") === 1)
          world.server.release("one")
          yield* finished
          world.server.release("root")
          yield* Fiber.join(running)
          return { id, events, messages: yield* told(id), given: yield* results(id) }
        })
      )
      const [root, child] = yield* check(world.home)
      const childId = child?.record.id ?? ""
      assert.include(given.get("n1"), childId)
      assert.deepStrictEqual(messages, [`[task ${childId}: succeeded] first`])
      assert.deepStrictEqual(collected(root), [["first", "succeeded", "message"]])
      // It is in the request after the one that was under way, and that one had it not.
      const [, second, third] = requestsOf(world, "root").map((body) => JSON.stringify(body.messages))
      assert.notInclude(second, "[task ")
      assert.include(third, `[task ${childId}: succeeded] first`)
      const started = events.filter((event) => event.type === "delegation.started")
      assert.deepStrictEqual(
        started.map(({ taskId }) => taskId),
        [id]
      )
      assert.include(JSON.stringify(started), `"background":true`)
    })
  )

  it.live("report in the result of the wait that asked for them, in whatever order they finish", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(behind("part one", "n1"), behind("part two", "n2"), behind("part three", "n3")),
          waits("w"),
          completes("done")
        ),
        script("part one", held(completes("first"), "one")),
        script("part two", held(completes("second"), "two")),
        script("part three", held(completes("third"), "three"))
      ])
      const { given, messages } = yield* world.session(
        Effect.gen(function* () {
          const waiting = yield* eventually((event) => event.type === "tool.started" && event.callId === "w")
          const { id, running } = yield* created(world.task("root"))
          yield* waiting
          for (const gate of ["three", "one", "two"]) {
            const finished = yield* eventually((event) => event.type === "task.completed")
            world.server.release(gate)
            yield* finished
          }
          yield* Fiber.join(running)
          return { given: yield* results(id), messages: yield* told(id) }
        })
      )
      const [root, ...children] = yield* check(world.home)
      assert.deepStrictEqual(
        given.get("w"),
        children
          .map(({ record }, n) => `[task ${record.id}: succeeded] ${["first", "second", "third"][n]}`)
          .join("\n\n")
      )
      assert.deepStrictEqual(messages, [])
      assert.deepStrictEqual(new Set(collected(root).map(([, , by]) => by)), new Set(["call"]))
    })
  )

  it.live("start in one commit with the foreground subtasks of the same answer", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(behind("part one", "n1"), sub("part two", "n2")), waits("w"), completes("done")),
        script("part one", held(completes("first"), "one")),
        script("part two", completes("second"))
      ])
      const { events, given } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const waiting = yield* eventually((event) => event.type === "tool.started" && event.callId === "w")
          const { id, running } = yield* created(world.task("root"))
          // The foreground result has come while the other one still runs.
          yield* waiting
          world.server.release("one")
          yield* Fiber.join(running)
          return { events, given: yield* results(id) }
        })
      )
      assert.include(given.get("n1"), "Started in the background")
      assert.strictEqual(given.get("n2"), "second")
      assert.include(given.get("w"), "first")
      const at = (type: string) => events.filter((event) => event.type === type).map(({ ts }) => ts)
      assert.strictEqual(new Set(at("delegation.started")).size, 1)
      yield* check(world.home)
    })
  )

  it.live("keep their parent from completing until it has read their results", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(behind("part one", "n1")),
          calls(["attempt_completion", { result: "too early" }, "c"]),
          waits("w"),
          completes("done")
        ),
        script("part one", held(completes("first"), "one"))
      ])
      const { given, record } = yield* world.session(
        Effect.gen(function* () {
          const waiting = yield* eventually((event) => event.type === "tool.started" && event.callId === "w")
          const { id, running } = yield* created(world.task("root"))
          yield* waiting
          world.server.release("one")
          const { record } = yield* Fiber.join(running)
          return { record, given: yield* results(id) }
        })
      )
      const [, child] = yield* check(world.home)
      assert.deepInclude(record, { status: "completed", result: "done" })
      assert.include(given.get("c"), `background subtasks are open (${child?.record.id})`)
    })
  )

  it.live("that wait for a permit get it while their parent waits for them, and no more run at once than may", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("middle", "m")), completes("done")),
        script("middle", calls(behind("part one", "n1"), behind("part two", "n2")), waits("w"), completes("joined")),
        script("part one", completes("first")),
        script("part two", completes("second"))
      ])
      const { record } = yield* world.session(run(world.task("root")), { concurrency: 1 })
      assert.deepInclude(record, { status: "completed", result: "done" })
      assert.strictEqual((yield* check(world.home)).length, 4)
      const order = world.server.requests.map(({ body }) => Message.textOf(body.messages[0]).split("\n")[0])
      const middle = order.map((prompt, index) => [prompt, index] as const).filter(([prompt]) => prompt === "middle")
      // The second request of the one that has the permit comes before any of those that queue for it.
      assert.isBelow(middle[1]?.[1] ?? Infinity, order.indexOf("part one"))
    })
  )

  it.live("that reported as a message are not reported again by a wait, and others' tasks not at all", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(behind("part one", "n1")),
          held(calls(["list_files", { path: "." }, "l"]), "root"),
          waits("w"),
          waits("named", ["stranger"]),
          completes("done")
        ),
        script("part one", completes("first"))
      ])
      const { given, messages } = yield* world.session(
        Effect.gen(function* () {
          const finished = yield* eventually((event) => event.type === "task.completed")
          const { id, running } = yield* created(world.task("root"))
          yield* finished
          world.server.release("root")
          yield* Fiber.join(running)
          return { given: yield* results(id), messages: yield* told(id) }
        })
      )
      const [root, child] = yield* check(world.home)
      assert.deepStrictEqual(messages, [`[task ${child?.record.id}: succeeded] first`])
      assert.strictEqual(given.get("w"), "No background subtask is open.")
      assert.strictEqual(given.get("named"), "[task stranger: unknown] Not a background subtask of this task.")
      assert.deepStrictEqual(collected(root), [["first", "succeeded", "message"]])
    })
  )

  it.live("that are named are waited for alone; the others go on and report later", () =>
    Effect.gen(function* () {
      // Filled in when the id is known, before the answer with it is served.
      const ids: Array<string> = []
      const world = yield* make([
        script(
          "root",
          calls(behind("part one", "n1"), behind("part two", "n2")),
          held(calls(["list_files", { path: "." }, "l"]), "root"),
          waits("w", ids),
          waits("rest"),
          completes("done")
        ),
        script("part one", held(completes("first"), "one")),
        script("part two", held(completes("second"), "two"))
      ])
      const given = yield* world.session(
        Effect.gen(function* () {
          const waiting = yield* eventually((event) => event.type === "tool.started" && event.callId === "w")
          const later = yield* eventually((event) => event.type === "tool.started" && event.callId === "rest")
          const { id, running } = yield* created(world.task("root"))
          yield* waitFor(world, () => asked(world, "part one") + asked(world, "part two") + asked(world, "root") === 4)
          const children = yield* (yield* TaskHistory).children(id)
          ids.push(...children.filter(({ meta }) => meta.title === "part two").map(({ record }) => record.id))
          world.server.release("root")
          yield* waiting
          world.server.release("two")
          yield* later
          world.server.release("one")
          yield* Fiber.join(running)
          return yield* results(id)
        })
      )
      const [, one, two] = yield* check(world.home)
      assert.strictEqual(given.get("w"), `[task ${two?.record.id}: succeeded] second`)
      assert.strictEqual(given.get("rest"), `[task ${one?.record.id}: succeeded] first`)
    })
  )

  it.live("can be waited for and listed in plan mode", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(["list_tasks", {}, "l"], ["wait_for_tasks", {}, "w"]),
          calls(["ask_followup_question", { question: "?" }])
        )
      ])
      const given = yield* world.session(
        Effect.flatMap(run(world.task("root", { mode: "plan" })), ({ id }) => results(id))
      )
      assert.strictEqual(given.get("l"), "No subtasks.")
      assert.strictEqual(given.get("w"), "No background subtask is open.")
    })
  )
})
