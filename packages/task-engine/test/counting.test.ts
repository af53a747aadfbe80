/** What counts against the limits of a tree: calls of all processes, and those that brought no answer. */
import { type Step, TaskHistory } from "@belay/history-store"
import { Processes } from "@belay/testkit"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import type { Settings } from "@belay/settings"
import { TaskEngine, UserPort } from "../src/index.ts"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, requestsOf, resume, run, script, waitFor, type World } from "./world.ts"

const program = (name: string) => path.join(import.meta.dirname, "fixtures", name)

const spawn = (name: string, ...args: ReadonlyArray<string>) =>
  Processes.spawn(["--conditions=@belay/source", program(name), ...args])

const usageOf = (id: TaskId.TaskId) => TaskHistory.use((history) => history.treeUsage(id))

const part = (at: number) => `part ${String.fromCodePoint(97 + at)}`
const parts = Array.from({ length: 10 }, (_, at) => part(at))

/** A tree of ten subtasks, each stopped with a question; the answers that they go on with are held. */
const tenStopped = (limits: Partial<Settings.Limits>) =>
  Effect.gen(function* () {
    const world = yield* make([
      script("root", calls(...parts.map((message) => ["new_task", { message }] as const))),
      ...parts.map((prompt) =>
        script(prompt, calls(["ask_followup_question", { question: "which?" }]), {
          ...completes("done"),
          hold: "gate",
          holdAt: 0
        })
      )
    ])
    const children = yield* world.session(
      Effect.gen(function* () {
        const { id } = yield* run(world.task("root", {}, { fanOut: 16 }))
        const history = yield* TaskHistory
        const { settings } = world.task("root", {}, { ...limits, fanOut: 16 })
        yield* history.commit([{ _tag: "ConfigureAtRest", taskId: id, settings }])
        return (yield* history.children(id)).map(({ record }) => record.id)
      }),
      { concurrency: 16 }
    )
    assert.lengthOf(children, 10)
    return { world, children }
  })

/** Calls that two processes make at once, five of each; those that are under way when all others are refused. */
const atOnce = (world: World, children: ReadonlyArray<TaskId.TaskId>) =>
  Effect.gen(function* () {
    const args = [world.server.url, world.home]
    const one = yield* spawn("resumes.ts", ...args, children.slice(0, 5).join())
    const other = yield* spawn("resumes.ts", ...args, children.slice(5).join())
    const both = [one, other]
    for (const running of both) yield* Effect.promise(() => running.waitForLine("ready"))
    for (const running of both) running.write("go\n")
    const refused = () => both.flatMap(({ stdout }) => stdout.filter((line) => line === "stopped: budget")).length
    const underWay = () => parts.filter((prompt) => requestsOf(world, prompt).length === 2).length
    yield* Effect.suspend(() => Effect.sleep("10 millis")).pipe(
      Effect.repeat({ until: () => refused() + underWay() === parts.length })
    )
    const made = underWay()
    world.server.release("gate")
    for (const running of both) assert.strictEqual((yield* Effect.promise(() => running.exit)).code, 0)
    return made
  }).pipe(Effect.scoped)

describe("a limit of a tree", () => {
  for (const [what, limits, atMost] of [
    // The root and its ten subtasks have made one request each.
    ["requests", { maxRequests: 15 }, 4],
    // A call takes at least what is kept free for its answer: 8192 tokens, 8.2 cents.
    ["tokens", { maxTokens: 60_000 }, 7],
    ["money", { maxCostUsd: 0.45 }, 5]
  ] as const) {
    it.live(`of ${what} holds for calls that two processes make at once`, () =>
      Effect.gen(function* () {
        const { children, world } = yield* tenStopped(limits)
        const made = yield* atOnce(world, children)
        assert.isAtMost(made, atMost)
        assert.isAtLeast(made, 1)
        yield* check(world.home)
      })
    )
  }

  it.live("counts an answer that was given up as what it had taken, once the task is stopped", () =>
    Effect.gen(function* () {
      const text = "half of an answer, and no more than that"
      const usage = { input_tokens: 1000, cache_read_input_tokens: 500, output_tokens: 90 }
      const world = yield* make([
        script("given up", {
          content: [{ type: "text", text }, ...(completes("x").content ?? [])],
          usage,
          hold: "gate"
        })
      ])
      const { id, used } = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const streaming = yield* eventually((event) => event.type === "text.delta")
          const id = yield* engine.create(world.task("given up"))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* streaming
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          return { id, used: yield* usageOf(id) }
        })
      )
      world.server.release("gate")
      assert.deepInclude(used, { requests: 1, inputTokens: 1000, cacheReadTokens: 500 })
      // The service had counted one token of the answer; what has arrived since is reckoned.
      assert.isAtLeast(used.outputTokens, 1)
      assert.isAtMost(used.outputTokens, Math.ceil(text.length / 3.5))
      assert.approximately(used.costUsd ?? 0, (1000 + 50 + used.outputTokens * 10) / 1_000_000, 1e-9)
      const next = yield* world.session(resume(id, { limits: { maxRequests: 1 } }))
      assert.deepInclude(next.record, { status: "interrupted", interruption: { reason: "budget", from: "active" } })
      assert.strictEqual(world.server.requests.length, 1)
      yield* check(world.home)
    })
  )

  it.live("counts each try of a call that broke off, and makes none that it has no room for", () =>
    Effect.gen(function* () {
      const broken = { streamError: { type: "overloaded_error", message: "busy" }, streamErrorAt: 4, times: 1 } as const
      const content = [{ type: "text", text: "some words first" } as const, ...(completes("x").content ?? [])]
      for (const [maxRequests, status, made] of [
        [1, "interrupted", 1],
        [2, "completed", 2]
      ] as const) {
        for (const maxRetries of [0, 1]) {
          const world = yield* make([script("broken", { content, ...broken })])
          const { record, used } = yield* world.session(
            Effect.gen(function* () {
              const { id, record } = yield* run(world.task("broken", {}, { maxRequests }))
              return { record, used: yield* usageOf(id) }
            }),
            { maxRetries }
          )
          assert.strictEqual(record.status, status)
          assert.deepStrictEqual([used.requests, world.server.requests.length], [made, made])
          yield* check(world.home)
        }
      }
    })
  )

  it.live("counts nothing of a call that the service refused", () =>
    Effect.gen(function* () {
      const world = yield* make([script("refused", { ...completes("x"), error: { status: 529 }, times: 1 })])
      const { record, used } = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("refused", {}, { maxRequests: 1 }))
          return { record, used: yield* usageOf(id) }
        })
      )
      assert.strictEqual(record.status, "completed")
      assert.strictEqual(used.requests, 1)
    })
  )

  it.live("counts all that the call of a killed process may have taken", () =>
    Effect.gen(function* () {
      const world = yield* make([script("killed", { ...completes("x"), hold: "gate", holdAt: 0 })])
      const limits = JSON.stringify({ maxRequests: 1 })
      const other = yield* spawn("runs.ts", world.server.url, world.workspace, world.home, "killed", limits)
      yield* waitFor(world, 1)
      yield* Effect.promise(() => other.kill())
      world.server.release("gate")
      const next = yield* world.session(
        Effect.gen(function* () {
          const history = yield* TaskHistory
          const [row] = (yield* history.list({ limit: 1 })).rows
          if (row === undefined) return assert.fail("no task")
          const used = yield* usageOf(row.record.id)
          assert.deepInclude(used, { requests: 1, outputTokens: 8192 })
          assert.isAbove(used.inputTokens, 0)
          assert.isAbove(used.costUsd ?? 0, 0.08)
          return yield* resume(row.record.id)
        })
      )
      assert.deepInclude(next.record, { status: "interrupted", interruption: { reason: "budget", from: "active" } })
      assert.strictEqual(world.server.requests.length, 1)
      yield* check(world.home)
    })
  )

  /** The commits that reserve something, give it back or ask a person, by the steps that they have. */
  const watching = () => {
    const commits: Array<string> = []
    const isUnused = (step: Step.Step) => step._tag === "Unanswered" && step.usage === undefined
    const seen = (history: TaskHistory["Service"]) => ({
      commit: (steps: ReadonlyArray<Step.Step>) => {
        if (steps.some((step) => ["Reserve", "AskOpened"].includes(step._tag) || isUnused(step))) {
          commits.push(steps.map(({ _tag }) => _tag).join(" "))
        }
        return history.commit(steps)
      }
    })
    return { commits, seen }
  }

  const reservingCommits = (world: World, prompt: string, limits: Partial<Settings.Limits>) =>
    Effect.suspend(() => {
      const { commits, seen } = watching()
      return Effect.as(world.session(run(world.task(prompt, {}, limits)), { seen }), commits)
    })

  it.live("costs no transaction where there is none", () =>
    Effect.gen(function* () {
      const world = yield* make([script("free", calls(["list_files", { path: "." }]), completes("x"))])
      assert.deepStrictEqual(yield* reservingCommits(world, "free", {}), [])
    })
  )

  it.live("costs a call that reads results no transaction of its own, but where the limit is near", () =>
    Effect.gen(function* () {
      const looks = Array.from({ length: 3 }, (_, n) => calls(["list_files", { path: "." }, `look-${n}`]))
      const world = yield* make(["far", "near"].map((prompt) => script(prompt, ...looks, completes("x"))))
      const withResults = "CallsSettled Reserve"
      const far = yield* reservingCommits(world, "far", { maxRequests: 4, maxCostUsd: 100 })
      assert.deepStrictEqual(far, ["Reserve", withResults, withResults, withResults])
      // All of it is not left any more, and each call is made with less.
      const near = yield* reservingCommits(world, "near", { maxCostUsd: 0.08 })
      assert.deepStrictEqual(near, ["Reserve", ...looks.flatMap(() => [withResults, "Reserve"])])
      yield* check(world.home)
    })
  )

  it.live("gives back what was reserved for a call before a person is asked about it", () =>
    Effect.gen(function* () {
      const useless = Array.from({ length: 6 }, (_, n) => calls(["no_such_tool", {}, `useless-${n}`]))
      const world = yield* make([script("lost", ...useless, completes("x"))])
      const { commits, seen } = watching()
      const never = { attended: true, approve: () => Effect.never, answer: () => Effect.never }
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const asked = yield* eventually((event) => event.type === "ask")
          const id = yield* engine.create(world.task("lost", {}, { maxRequests: 20 }))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* asked
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
        }),
        { seen, person: Layer.succeed(UserPort, never) }
      )
      assert.deepStrictEqual(commits.slice(-2), ["Unanswered", "AskOpened"])
    })
  )
})
