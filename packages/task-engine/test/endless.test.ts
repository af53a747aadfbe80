import { TaskHistory } from "@belay/history-store"
import { LoopGuard } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Approvals } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import { check } from "./sound.ts"
import { type Answer, calls, fullAt, make, recorded, requestsOf, resume, run, says, script } from "./world.ts"

/** Of the random ones, in all: a sample, or with the proof as many as that. */
const answered = process.env["BELAY_PROOF"] === undefined ? 250 : 5000

/** Far more than any of them may be asked for. */
const many = 40
const forever = (answer: (at: number) => Answer): ReadonlyArray<Answer> =>
  Array.from({ length: many }, (_, at) => answer(at))

type Options = Parameters<Effect.Success<ReturnType<typeof make>>["task"]>

/** What a task whose model goes on like this ends with. */
const ends = (answers: ReadonlyArray<Answer>, options: Options[1] = {}, settings: Options[2] = {}) =>
  Effect.gen(function* () {
    const world = yield* make([script("forever", ...answers)])
    world.write("a.txt", "one\n")
    world.write("b.txt", "two\n")
    const { asks, record } = yield* world.session(
      Effect.gen(function* () {
        const { id, record } = yield* run(world.task("forever", options, settings))
        const asks = yield* (yield* TaskHistory).asks(id)
        return { record, asks: asks.filter(({ open }) => open).map(({ payload }) => payload.question) }
      })
    )
    yield* check(world.home)
    assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
    return { asks, sent: requestsOf(world, "forever").length }
  })

const brought = (last: string) => [`5 answers in a row brought nothing. ${last}. What should it do?`]

describe("a model that goes on for ever", () => {
  it.live("with one call that the mode refuses ends", () =>
    Effect.gen(function* () {
      const call = (at: number) => calls(["write_to_file", { path: "c.txt", content: "x" }, `${at}`])
      const { asks, sent } = yield* ends(forever(call), { mode: "plan" }, { strictPlanMode: true })
      assert.strictEqual(sent, 5)
      assert.match(
        asks[0] ?? "",
        /^5 answers in a row brought nothing\. 5 times: .*is for act mode.*\. What should it do\?$/
      )
    })
  )

  it.live("with calls that nobody is there to allow ends", () =>
    Effect.gen(function* () {
      const call = (at: number) => calls(["execute_command", { command: `touch ${at}` }, `${at}`])
      const { asks, sent } = yield* ends(forever(call), {}, { approvals: Approvals.ask })
      assert.strictEqual(sent, 5)
      assert.deepStrictEqual(asks, brought("5 times: Not run: denied, because nobody was there to answer"))
    })
  )

  it.live("with wrong arguments ends", () =>
    Effect.gen(function* () {
      const { asks, sent } = yield* ends(forever((at) => calls(["read_file", { path: at }, `${at}`])))
      assert.strictEqual(sent, 5)
      assert.lengthOf(asks, 1)
    })
  )

  it.live("with an unknown tool ends, and it is named", () =>
    Effect.gen(function* () {
      const { asks, sent } = yield* ends(forever((at) => calls(["Bash", { command: `ls ${at}` }, `${at}`])))
      assert.strictEqual(sent, 5)
      assert.deepStrictEqual(asks, brought("5 times: There is no tool Bash here"))
    })
  )

  it.live("with files that are not there ends, several to an answer", () =>
    Effect.gen(function* () {
      const read = (path: string, id: string) => ["read_file", { path }, id] as const
      const answer = (at: number) => calls(...["x", "y", "z"].map((name) => read(`${name}${at}.txt`, `${name}${at}`)))
      const { sent } = yield* ends(forever(answer))
      assert.strictEqual(sent, 5)
    })
  )

  it.live("with commands that fail with the same words ends", () =>
    Effect.gen(function* () {
      const call = (at: number) => calls(["execute_command", { command: `echo no; exit 1 # ${at}` }, `${at}`])
      const { sent } = yield* ends(forever(call))
      assert.strictEqual(sent, 6, "the first one said something new")
    })
  )

  it.live("with empty answers ends", () =>
    Effect.gen(function* () {
      const { asks, sent } = yield* ends(forever(() => ({ content: [] })))
      assert.strictEqual(sent, 5)
      assert.deepStrictEqual(asks, brought("5 times: An answer without a tool call"))
    })
  )

  it.live("with two good calls that take turns ends", () =>
    Effect.gen(function* () {
      const call = (at: number) => calls(["read_file", { path: at % 2 === 0 ? "a.txt" : "b.txt" }, `${at}`])
      const { asks, sent } = yield* ends(forever(call))
      assert.isAtMost(sent, 10)
      assert.lengthOf(asks, 1)
    })
  )

  it.live("with several good calls that take turns ends, for each number of them", () =>
    Effect.gen(function* () {
      for (const length of [3, 5, 8]) {
        const call = (at: number) => calls(["execute_command", { command: `echo ${at % length}` }, `${at}`])
        const { asks, sent } = yield* ends(forever(call))
        assert.isAtMost(sent, 25, `${length} calls`)
        assert.lengthOf(asks, 1)
      }
    })
  )

  it.live("with condensing in between ends, which does not begin the count anew", () =>
    Effect.gen(function* () {
      const sums = { ...says("THE SUMMARY"), on: "replaced by what you write now" }
      const long = (at: number) => calls(["Bash", { command: `${at}`.repeat(9000) }])
      const world = yield* make([script("forever", sums, ...forever(long))])
      const full = yield* fullAt(20_000)
      const { events, record } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          return { ...(yield* run(world.task("forever", {}, full))), events }
        })
      )
      assert.include(
        events.map(({ type }) => type),
        "context.condensed"
      )
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
      const sent = requestsOf(world, "forever").map(({ messages }) => JSON.stringify(messages))
      assert.isAtMost(sent.length, 25)
      assert.strictEqual(sent.filter((text) => !text.includes("replaced by what you write now")).length, 5)
    })
  )

  it.live("with another refused call each time ends, and the last is named", () =>
    Effect.gen(function* () {
      const answers = [
        (at: number) => calls(["Bash", {}, `${at}`]),
        (at: number) => calls(["read_file", { path: at }, `${at}`]),
        (at: number) => calls(["plan_mode_respond", { response: "x" }, `${at}`]),
        (at: number) => calls(["read_file", { path: "none.txt" }, `${at}`]),
        (at: number) => calls(["Edit", {}, `${at}`])
      ]
      const { asks, sent } = yield* ends(answers.map((answer, at) => answer(at)).concat(forever((at) => says(`${at}`))))
      assert.strictEqual(sent, 5)
      assert.deepStrictEqual(asks, brought("The last: There is no tool Edit here"))
    })
  )

  it.live("reads the errors of an answer before it is counted, and a success beside them clears the count", () =>
    Effect.gen(function* () {
      const wrong = (at: number) => ["Bash", {}, `w${at}`] as const
      const read = (at: number) => ["list_files", { path: "." }, `r${at}`] as const
      const answers = forever((at) =>
        at === 3 ? calls(wrong(at), read(at)) : calls(wrong(at), ["Edit", {}, `e${at}`])
      )
      const { sent } = yield* ends(answers)
      assert.strictEqual(sent, 9)
    })
  )

  /** Each by itself, wherever it happens. */
  const ways: Readonly<Record<string, (at: number) => Answer>> = {
    refused: (at) => calls(["write_to_file", { path: "c.txt", content: `${at}` }, `${at}`]),
    denied: (at) => calls(["execute_command", { command: `touch ${at}` }, `${at}`]),
    invalid: (at) => calls(["read_file", { path: at }, `${at}`]),
    missing: (at) => calls(["read_file", { path: `none${at}.txt` }, `${at}`]),
    unknown: (at) => calls(["Bash", { command: `ls ${at}` }, `${at}`]),
    failing: (at) => calls(["execute_command", { command: `ls ${" ".repeat(at)}none` }, `${at}`]),
    silent: () => ({ content: [] }),
    alternating: (at) => calls(["read_file", { path: at % 2 === 0 ? "a.txt" : "b.txt" }, `${at}`]),
    another: (at) => calls([["Bash", "Edit", "Grep", "Task"][at % 4] ?? "", { at }, `${at}`])
  }

  const reason = /^(?:5 answers in a row brought nothing\. .+\. What should it do\?|.+ same arguments.*\?)$/u

  it.live.each(Object.entries(ways))("ends in a plan of phases and in a subtask with one sentence: %s", ([, way]) =>
    Effect.gen(function* () {
      const strict = { strictPlanMode: true, approvals: Approvals.ask }
      const { asks, sent } = yield* ends(forever(way), { mode: "plan", prompt: "/deep-planning forever" }, strict)
      assert.isAtMost(sent, 25)
      assert.lengthOf(asks, 1)
      assert.match(asks[0] ?? "", reason)
      const world = yield* make([
        script("root", calls(["new_task", { message: "part" }, "n"])),
        script("part", ...forever(way))
      ])
      world.write("a.txt", "one\n")
      world.write("b.txt", "two\n")
      const told = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("root", {}, { approvals: Approvals.ask }))
          assert.strictEqual(record.status, "delegated")
          const history = yield* TaskHistory
          const [child] = yield* history.children(id)
          const asks = child === undefined ? [] : yield* history.asks(child.record.id)
          return asks.flatMap(({ open, payload }) => (open ? [payload.question ?? ""] : []))
        })
      )
      assert.isAtMost(requestsOf(world, "part").length, 25)
      assert.lengthOf(told, 1)
      assert.match(told[0] ?? "", reason)
      yield* check(world.home)
    })
  )

  it.live("is told of its third call that is the same, also when none of them may run", () =>
    Effect.gen(function* () {
      const world = yield* make([script("same", ...forever((at) => calls(["Bash", {}, `${at}`])))])
      yield* world.session(run(world.task("same")))
      const told = requestsOf(world, "same").map(({ messages }) => JSON.stringify(messages.at(-1)))
      assert.deepStrictEqual(
        told.map((text) => text.includes(LoopGuard.warning)),
        [false, false, false, true, true]
      )
    })
  )
})

describe("a limit of requests", () => {
  it.live("is not stepped over by going on", () =>
    Effect.gen(function* () {
      const read = (at: number) => calls(["execute_command", { command: `echo ${at}` }, `${at}`])
      const world = yield* make([script("limited", ...forever(read))])
      const first = yield* world.session(run(world.task("limited", {}, { maxRequests: 3 })))
      for (const _ of [1, 2, 3]) {
        const { record } = yield* world.session(resume(first.id))
        assert.deepInclude(record, { status: "interrupted", interruption: { reason: "budget", from: "active" } })
      }
      assert.strictEqual(world.server.requests.length, 3)
      yield* check(world.home)
    })
  )

  /** In each run anew: one of the answers, and one of these limits. */
  const any = (seed: number) => {
    let state = seed
    return <A>(from: ReadonlyArray<A>): A | undefined => {
      state = (state * 48_271) % 2_147_483_647
      return from[state % from.length]
    }
  }

  const kinds: ReadonlyArray<(at: number) => Answer> = [
    (at) => calls(["Bash", {}, `${at}`]),
    (at) => calls(["read_file", { path: "a.txt" }, `${at}`]),
    (at) => calls(["read_file", { path: `none${at}.txt` }, `${at}`]),
    (at) => calls(["list_files", { path: "." }, `l${at}`], ["read_file", { path: at }, `r${at}`]),
    (at) => calls(["write_to_file", { path: "c.txt", content: `${at}` }, `${at}`]),
    (at) => calls(["new_task", { message: "part" }, `${at}`]),
    (at) => calls(["new_task", { message: "part" }, `x${at}`], ["new_task", { message: "part" }, `y${at}`]),
    (at) => calls(["new_task", { message: "part", background: true }, `${at}`]),
    (at) => ({ ...calls(["read_file", { path: "a.txt" }, `${at}`]), stopReason: "max_tokens" }),
    (at) => ({ content: [{ type: "tool_use", id: `${at}`, name: "read_file", input: {}, raw: '{"path": "a' }] }),
    () => ({ content: [] })
  ]

  const length = 5000

  it.live(
    `is never passed, whatever ${answered} answers are, by however many tasks, and however often they go on`,
    () =>
      Effect.gen(function* () {
        let requests = 0
        for (let seed = 1; requests < answered; seed++) {
          const choose = any(seed)
          const limit = choose([1, 2, 7, 30, 60, 90]) ?? 1
          const answers = Array.from({ length }, (_, at) => choose(kinds)?.(at) ?? says(`${at}`))
          const parts = { ...script("part", ...answers.toReversed()), shared: true }
          const world = yield* make([script("random", ...answers), parts])
          world.write("a.txt", "one\n")
          const first = yield* world.session(run(world.task("random", {}, { maxRequests: limit })))
          let { record } = first
          for (let before = -1; before < world.server.requests.length;) {
            before = world.server.requests.length
            record = (yield* world.session(resume(first.id))).record
          }
          assert.isAtMost(world.server.requests.length, limit, `seed ${seed}`)
          assert.notStrictEqual(record.status, "completed", `seed ${seed}`)
          yield* check(world.home)
          requests += world.server.requests.length
        }
      }),
    { timeout: 0 }
  )
})
