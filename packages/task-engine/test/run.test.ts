import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync, statSync } from "node:fs"
import * as path from "node:path"
import { check } from "./sound.ts"
import {
  type Answer,
  calls,
  completes,
  make,
  recorded,
  requestsOf,
  resultsOf,
  results,
  resume,
  run,
  script,
  unmarked
} from "./world.ts"

const patch = "------- SEARCH\none\n=======\ntwo\n+++++++ REPLACE"

describe("a run", () => {
  it.live("reads, edits and runs a command: files, events and record agree", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "do it",
          calls(["read_file", { path: "a.txt" }, "r"]),
          calls(["replace_in_file", { path: "a.txt", diff: patch }, "e"]),
          calls(["execute_command", { command: "cat a.txt >> log" }, "c"]),
          completes("all done")
        )
      ])
      world.write("a.txt", "one\n")
      const { ended, events } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          return { ended: yield* run(world.task("do it")), events }
        })
      )
      assert.deepInclude(ended.record, { status: "completed", outcome: "succeeded", result: "all done" })
      assert.deepStrictEqual([world.read("a.txt"), world.read("log")], ["two\n", "two\n"])
      const of = (type: string) =>
        events.filter((event) => event.type === type).map((event) => "name" in event && event.name)
      const names = ["read_file", "replace_in_file", "execute_command"]
      assert.deepStrictEqual(of("tool.requested"), [...names, "attempt_completion"])
      assert.deepStrictEqual(of("tool.started"), names)
      assert.deepStrictEqual(of("tool.finished"), [...names, "attempt_completion"])
      assert.strictEqual(events.at(-1)?.type, "task.completed")
      const stored = yield* world.session(Effect.flatMap(TaskHistory, (history) => history.events(ended.id, 1, 1000)))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(stored)), JSON.parse(JSON.stringify(events)))
      yield* check(world.home)
    })
  )

  it.live("sends each request as a continuation of the one before, byte for byte", () =>
    Effect.gen(function* () {
      const silent = { content: [] }
      const world = yield* make([script("go on", silent, calls(["list_files", { path: "." }]), silent, completes("x"))])
      yield* world.session(run(world.task("go on")))
      const bare = requestsOf(world, "go on").map((body) => unmarked([body.system, body.tools, body.messages]))
      assert.strictEqual(bare.length, 4)
      for (const [index, text] of bare.slice(1).entries()) {
        const before = bare[index]?.slice(0, -2) ?? "none"
        assert.isTrue(text.startsWith(before), `request ${index + 2}`)
      }
    })
  )

  it.live("keeps what was sent when the user's words join a message that was sent already", () =>
    Effect.gen(function* () {
      const world = yield* make([script("join", { ...completes("x"), error: { status: 500 }, times: 2 })])
      const first = yield* world.session(run(world.task("join")))
      assert.deepInclude(first.record, { status: "interrupted", interruption: { reason: "service", from: "active" } })
      const { record } = yield* world.session(resume(first.id, { message: "once more" }))
      assert.strictEqual(record.status, "completed")
      const [before, repeated, after] = requestsOf(world, "join").map(({ messages }) => messages)
      assert.deepStrictEqual(repeated, before)
      assert.deepStrictEqual([before.length, after.length], [1, 1])
      const bare = ({ cache_control: _, ...block }: Record<string, unknown>) => block
      const [sent, resent] = [before, after].map((messages) => messages[0].content.map(bare))
      assert.deepStrictEqual(resent.slice(0, sent.length), sent)
      assert.deepStrictEqual(resent.at(-1), { type: "text", text: "once more" })
    })
  )

  it.live("offers the same system prompt and tools of at most 13,200 characters in both modes", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      for (const mode of ["act", "plan"] as const) {
        const world = yield* make([script("size", calls(["ask_followup_question", { question: "?" }]))])
        yield* world.session(run(world.task("size", { mode })))
        const [body] = requestsOf(world, "size")
        const size = JSON.stringify(body.system).length + JSON.stringify(body.tools).length
        process.stdout.write(`system and tools, ${mode}: ${size} characters\n`)
        assert.isAtMost(size, 13_200)
        told.push(JSON.stringify([body.system, body.tools]))
      }
      assert.strictEqual(told[0], told[1])
    })
  )

  it.live("adds usage and cost up over the tree", () =>
    Effect.gen(function* () {
      const usage = {
        input_tokens: 1000,
        output_tokens: 100,
        cache_read_input_tokens: 10,
        cache_creation_input_tokens: 1
      }
      const world = yield* make([
        script("root", { ...calls(["new_task", { message: "child" }]), usage }, { ...completes("r"), usage }),
        script("child", { ...completes("c"), usage })
      ])
      const total = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("root"))
          return yield* Effect.flatMap(TaskHistory, (history) => history.treeUsage(id))
        })
      )
      assert.deepInclude(total, {
        requests: 3,
        inputTokens: 3000,
        outputTokens: 300,
        cacheReadTokens: 30,
        cacheWriteTokens: 3
      })
      assert.closeTo(total.costUsd ?? 0, (3 * (1000 * 1 + 100 * 10 + 10 * 0.1 + 1 * 2)) / 1e6, 1e-12)
    })
  )

  it.live("keeps the checklist in its file and tells of it", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "list",
          calls(["list_files", { path: ".", task_progress: "- [x] first\n- [ ] second" }]),
          calls(["list_files", { task_progress: "- [x] first\n- [ ] second\n- [-] third" }, "u"]),
          completes("x")
        )
      ])
      const { ended, events } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          return { ended: yield* run(world.task("list")), events }
        })
      )
      const told = events.flatMap((event) =>
        event.type === "focus-chain.updated" ? [[event.done, event.items.map(({ state, text }) => [text, state])]] : []
      )
      assert.deepStrictEqual(told, [
        [
          1,
          [
            ["first", "done"],
            ["second", "open"]
          ]
        ],
        [
          1,
          [
            ["first", "done"],
            ["second", "open"],
            ["third", "doing"]
          ]
        ]
      ])
      const file = path.join(world.home, "tasks", ended.id, `focus_chain_taskid_${ended.id}.md`)
      const text = readFileSync(file, "utf8")
      for (const line of ["- [x] first", "- [ ] second", "- [-] third"]) assert.include(text, line)
      assert.isTrue(statSync(file).isFile())
    })
  )
})

describe("calls of one answer", () => {
  it.live("reads run side by side, and a failed one costs no other its result", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "reads",
          calls(
            ["read_file", { path: "a.txt" }, "a"],
            ["read_file", { path: "missing.txt" }, "b"],
            ["list_files", { path: "." }, "c"],
            ["no_such_tool", {}, "d"],
            ["read_file", { path: "a.txt" }, "e"]
          ),
          completes("x")
        )
      ])
      world.write("a.txt", "content of a")
      const { events, id, stored } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const { id } = yield* run(world.task("reads"))
          const history = yield* TaskHistory
          return { events, id, stored: yield* history.messages(id) }
        })
      )
      const answered = resultsOf(stored[2])
      assert.deepStrictEqual(
        answered.map(([callId]) => callId),
        ["a", "b", "c", "d", "e"]
      )
      assert.include(answered[0]?.[1], "content of a")
      assert.include(answered[4]?.[1], "content of a")
      assert.include(answered[3]?.[1], "There is no tool no_such_tool here")
      const order = events
        .filter((event) => event.type.startsWith("tool."))
        .map((event) => ("callId" in event ? `${event.type} ${event.callId}` : ""))
      assert.deepStrictEqual(order.slice(5, 11), [
        "tool.started a",
        "tool.started b",
        "tool.started c",
        "tool.finished a",
        "tool.finished b",
        "tool.finished c"
      ])
      assert.isDefined(id)
      yield* check(world.home)
    })
  )

  it.live("reads wait for each other, because they run at the same time", () =>
    Effect.gen(function* () {
      const both = Promise.withResolvers<void>()
      let arrived = 0
      const meet: Tool.Tool = {
        name: "meet",
        description: "Waits until it runs twice at once",
        category: "read",
        flow: "run",
        readOnly: true,
        parameters: Schema.Struct({ who: Schema.String }),
        facts: () => Effect.succeed(Tool.noFacts),
        execute: ({ who }) =>
          Effect.promise(() => {
            arrived += 1
            if (arrived === 2) both.resolve()
            return both.promise
          }).pipe(Effect.as(Tool.output(`${who} met`)))
      }
      const world = yield* make([
        script("rendezvous", calls(["meet", { who: "a" }, "1"], ["meet", { who: "b" }, "2"]), completes("x"))
      ])
      const given = yield* world.session(
        Effect.flatMap(run(world.task("rendezvous")), ({ id }) => results(id)),
        { tools: [meet] }
      )
      assert.deepStrictEqual([given.get("1"), given.get("2")], ["a met", "b met"])
    })
  )

  it.live("a call that is denied for want of a person is answered, and the others run", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "denied",
          calls(
            ["execute_command", { command: "touch no" }, "a"],
            ["read_file", { path: "a.txt" }, "b"],
            ["write_to_file", { path: "yes.txt", content: "yes" }, "c"]
          ),
          completes("x")
        )
      ])
      world.write("a.txt", "content of a")
      const given = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(
            world.task(
              "denied",
              {},
              { approvals: { ...world.task("").settings.approvals, commands: { allow: [], deny: [], other: "ask" } } }
            )
          )
          return yield* results(id)
        })
      )
      assert.include(given.get("a"), "nobody was there to answer")
      assert.include(given.get("b"), "content of a")
      assert.deepStrictEqual([world.exists("no"), world.read("yes.txt")], [false, "yes"])
      const [task] = yield* check(world.home)
      assert.strictEqual(task?.record.status, "completed")
    })
  )

  it.live("of several completions the first counts, and each is answered", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "twice",
          calls(["attempt_completion", { result: "1" }, "a"], ["attempt_completion", { result: "2" }, "b"])
        )
      ])
      const { record } = yield* world.session(run(world.task("twice")))
      assert.deepInclude(record, { status: "completed", result: "1" })
      yield* check(world.home)
    })
  )

  it.live("a completion beside subtasks is answered and waits for their results", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "early",
          calls(["new_task", { message: "child" }, "n"], ["attempt_completion", { result: "too early" }, "c"]),
          completes("later")
        ),
        script("child", completes("from the child"))
      ])
      const { given, record } = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("early"))
          return { record, given: yield* results(id) }
        })
      )
      assert.deepInclude(record, { status: "completed", result: "later" })
      assert.strictEqual(given.get("n"), "from the child")
      assert.include(given.get("c"), "Not completed")
      yield* check(world.home)
    })
  )

  it.live("a completion beside calls that failed waits until the model has read why", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "hasty",
          calls(
            ["replace_in_file", { path: "no.txt", diff: patch }, "e"],
            ["execute_command", { command: "exit 3" }, "x"],
            ["attempt_completion", { result: "too early" }, "c"]
          ),
          completes("later")
        )
      ])
      const { given, record } = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("hasty"))
          return { record, given: yield* results(id) }
        })
      )
      assert.deepInclude(record, { status: "completed", result: "later" })
      assert.strictEqual(
        given.get("c"),
        "Not completed: replace_in_file and execute_command in this answer failed, and you have not read why. Read their results, then complete."
      )
      yield* check(world.home)
    })
  )

  it.live("a completion beside a call that was denied, is of no tool, has no arguments or was cut off waits, too", () =>
    Effect.gen(function* () {
      const early = { type: "tool_use" as const, id: "c", name: "attempt_completion", input: { result: "too early" } }
      const beside = (name: string, input: object, raw?: string) => ({
        content: [early, { type: "tool_use" as const, id: "x", name, input, ...(raw === undefined ? {} : { raw }) }]
      })
      const ways: ReadonlyArray<readonly [string, Answer]> = [
        ["execute_command", beside("execute_command", { command: "touch a" })],
        ["Bash", beside("Bash", { command: "ls" })],
        ["read_file", beside("read_file", {}, '{"path" "a"}')],
        ["write_to_file", { ...beside("write_to_file", {}, '{"path": "a", "con'), stopReason: "max_tokens" }]
      ]
      for (const [name, answer] of ways) {
        const world = yield* make([script("hasty", answer, completes("later"))])
        const { given, record } = yield* world.session(
          Effect.gen(function* () {
            const { id, record } = yield* run(world.task("hasty", {}, { approvals: Approvals.ask }))
            return { record, given: yield* results(id) }
          })
        )
        assert.deepInclude(record, { status: "completed", result: "later" }, name)
        assert.strictEqual(
          given.get("c"),
          `Not completed: ${name} in this answer failed, and you have not read why. Read its result, then complete.`
        )
      }
    })
  )
})
