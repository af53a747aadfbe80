import { Approvals } from "@belay/approval-policy"
import { type Event, TaskHistory } from "@belay/history-store"
import { Conversation, Message } from "@belay/message-state"
import { UserPort, TaskEngine } from "@belay/task-engine"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import * as Prompt from "../src/prompt/Prompt.ts"
import {
  type Answer,
  calls,
  completes,
  make,
  recorded,
  requestsOf,
  resume,
  run,
  says,
  script,
  type World,
  unmarked,
  fullAt
} from "./world.ts"

let small: Effect.Success<ReturnType<typeof fullAt>>

beforeAll(async () => {
  small = await Effect.runPromise(Effect.scoped(fullAt(40_000)))
})

const read = (name: string, id?: string): Answer =>
  calls(["read_file", { path: name }, ...(id === undefined ? [] : [id])] as never)

/** Files of 14,000 characters, or of so many lines. */
const files = (world: World, names: ReadonlyArray<string>, lines = 1000) => {
  for (const name of names) world.write(name, `this is ${name}\n`.repeat(lines))
  world.write("mark.txt", "THE MARK")
}

/** The answer to the newest result that is `mark.txt`, condensed or not. */
const atMark = (answer: Answer): Answer => ({ ...answer, on: "THE MARK" })

type Condensed = Extract<Event.StoredEvent, { readonly type: "context.condensed" }>

const condensed = (events: ReadonlyArray<Event.StoredEvent>): ReadonlyArray<Condensed> =>
  events.filter((event): event is Condensed => event.type === "context.condensed")

const stepsOf = (events: ReadonlyArray<Event.StoredEvent>) => condensed(events).map(({ step }) => step)

/** What differs only in where the breakpoints are is the same request. */
const plain = (value: unknown): unknown => JSON.parse(unmarked(value))

/** The blocks of a request in order, each with its role. */
const blocks = (request: any): ReadonlyArray<string> =>
  (plain(request.messages) as ReadonlyArray<Message.Message>).flatMap(({ content, role }) =>
    content.map((block) => JSON.stringify([role, block]))
  )

/** How often a request is not the one before it with more at its end. */
const breaks = (requests: ReadonlyArray<any>): number =>
  requests.filter((request, at) => {
    const before = requests[at - 1]
    return before !== undefined && blocks(before).some((block, index) => blocks(request)[index] !== block)
  }).length

const isWhole = (requests: ReadonlyArray<any>): void => {
  for (const { messages } of requests) {
    assert.deepStrictEqual([Conversation.unanswered(messages), Conversation.duplicates(messages)], [[], []])
    for (const [at, { role }] of messages.entries()) assert.strictEqual(role, at % 2 === 0 ? "user" : "assistant")
  }
}

const session = (world: World, prompt: string, settings: object = {}) =>
  world.session(
    Effect.gen(function* () {
      const events = yield* recorded
      const ended = yield* run(world.task(prompt, {}, { ...small, ...settings }))
      const history = yield* TaskHistory
      return { ...ended, events, log: yield* history.messages(ended.id), shown: yield* history.shown(ended.id) }
    })
  )

/** The model is asked to sum up: it says this. */
const sums = (text: string): Answer => ({ ...says(text), on: "replaced by what you write now" })

/** An answer of 10,000 characters, which no step but a summary can leave out, and a call. */
const talks = (at: number, ...more: ReadonlyArray<readonly [string, unknown]>): Answer => {
  const progress = at === 0 ? { task_progress: "- [x] look\n- [-] think\n- [ ] write" } : {}
  const { content = [] } = calls(["list_tasks", { ids: [`${at}`], ...progress }], ...more)
  return { content: [{ type: "text", text: `thought ${at} `.repeat(1100) }, ...content] }
}

/** After these the conversation is full, and its newest result is the mark. */
const talk = [talks(0), talks(1), talks(2), talks(3, ["read_file", { path: "mark.txt" }])]

describe("what is left out", () => {
  it("is counted in words", () => {
    const rest = "left out to make room. Read again what you need, and ask the user when a decision is missing.]"
    assert.strictEqual(Prompt.leftOut(1), `[1 earlier message was ${rest}`)
    assert.strictEqual(Prompt.leftOut(2), `[2 earlier messages were ${rest}`)
    for (const count of [1, 2]) assert.isTrue(Prompt.isStandIn(Message.user(Message.text(Prompt.leftOut(count)))))
  })
})

describe("a conversation that fills the model's context", () => {
  it.live("first loses reads that were repeated since, with no other request and nothing else changed", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("again", read("a.txt"), read("b.txt"), read("a.txt"), read("b.txt", "newest"), completes("done"))
      ])
      files(world, ["a.txt", "b.txt"], 620)
      const { events, record, log } = yield* session(world, "again")
      assert.strictEqual(record.status, "completed")
      assert.deepStrictEqual(stepsOf(events), ["reads"])
      const requests = requestsOf(world, "again")
      assert.strictEqual(requests.length, 5)
      isWhole(requests)
      assert.strictEqual(breaks(requests), 1)
      const last = JSON.stringify(requests[4])
      assert.strictEqual(last.split("read again later").length - 1, 2)
      assert.include(last, "this is a.txt")
      assert.include(last, "this is b.txt")
      // The log has them all.
      assert.strictEqual(JSON.stringify(log).split("this is a.txt").length - 1, 2 * 620)
      const [event] = condensed(events)
      assert.isBelow(event?.after ?? 0, event?.before ?? 0)
    })
  )

  it.live("then loses old results, each with words that say what it was; what is recent stays", () =>
    Effect.gen(function* () {
      const names = ["a.txt", "b.txt", "c.txt", "d.txt"]
      const world = yield* make([script("many", ...names.map((name) => read(name)), completes("done"))])
      files(world, names)
      const { events, shown } = yield* session(world, "many")
      assert.deepStrictEqual(stepsOf(events), ["outputs"])
      const requests = requestsOf(world, "many")
      isWhole(requests)
      assert.strictEqual(breaks(requests), 1)
      const last = JSON.stringify(requests.at(-1))
      for (const name of ["a.txt", "b.txt"]) {
        assert.include(last, `the result of read_file ${name}`)
        assert.notInclude(last, `this is ${name}`)
      }
      for (const name of ["c.txt", "d.txt"]) assert.include(last, `this is ${name}`)
      assert.deepStrictEqual(
        shown.edits.map(({ kind }) => kind),
        ["elide"]
      )
    })
  )

  it.live("then is summed up by the model: prompt, checklist, files and open subtasks stay, and the log is whole", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "long",
          sums("THE SUMMARY"),
          atMark(calls(["wait_for_tasks", {}])),
          { ...completes("done"), on: "of the part" },
          talks(0, ["write_to_file", { path: "made.txt", content: "x" }]),
          talks(1, ["new_task", { message: "part", background: true }]),
          ...talk.slice(2)
        ),
        script("part", { ...calls(["list_files", { path: "." }]), hold: "part" }, completes("of the part"))
      ])
      files(world, [])
      const { events, log, record } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const summed = world.server.waitForRequests((all) =>
            all.some(({ body }) => JSON.stringify(body).includes("THE SUMMARY"))
          )
          void summed.then(() => world.server.release("part"))
          const ended = yield* run(world.task("long", {}, small))
          const history = yield* TaskHistory
          return { ...ended, events, log: yield* history.messages(ended.id) }
        })
      )
      assert.strictEqual(record.status, "completed")
      assert.deepStrictEqual(stepsOf(events.filter(({ taskId }) => taskId === record.id)), ["summary"])
      const requests = requestsOf(world, "long").filter((body) => JSON.stringify(body).includes("THE SUMMARY"))
      isWhole(requests)
      const [first] = requests
      const [opening] = first.messages
      const standIn: string = opening.content.at(-1).text
      assert.include(JSON.stringify(opening.content[0]), "long")
      assert.include(standIn, "THE SUMMARY")
      const list = readFileSync(path.join(world.home, "tasks", record.id, `focus_chain_taskid_${record.id}.md`), "utf8")
      for (const [mark, text] of [
        ["[x]", "look"],
        ["[-]", "think"],
        ["[ ]", "write"]
      ] as const) {
        const id = new RegExp(`${text} <!-- (\\w+) -->`, "u").exec(list)?.[1]
        assert.include(standIn, `- ${mark} ${text} (${id})`)
      }
      assert.include(standIn, "- made.txt (changed)")
      assert.match(standIn, /Open subtasks[^\n]*\n- task \S+: part/u)
      assert.isAbove(log.length, first.messages.length)
      // The subtask's result comes by its own way, once.
      assert.strictEqual(JSON.stringify(log).split("of the part").length - 1, 1)
    })
  )

  it.live("is no less known: a file that was read before may be written over, and no other", () =>
    Effect.gen(function* () {
      const whole = (path: string): readonly [string, unknown, string] => [
        "write_to_file",
        { path, content: "x" },
        path
      ]
      const world = yield* make([
        script(
          "known",
          sums("THE SUMMARY"),
          atMark(calls(whole("read.txt"), whole("unread.txt"))),
          { ...completes("done"), on: "you have not read it" },
          talks(0, ["read_file", { path: "read.txt" }]),
          ...talk.slice(1)
        )
      ])
      files(world, ["read.txt", "unread.txt"], 3)
      const { events, record } = yield* session(world, "known")
      assert.strictEqual(record.status, "completed")
      assert.deepStrictEqual(stepsOf(events), ["summary"])
      assert.deepStrictEqual([world.read("read.txt"), world.read("unread.txt").length > 1], ["x", true])
    })
  )

  it.live("is summed up from what came out, not from words that it was left out", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "came out",
          sums("THE SUMMARY"),
          atMark(completes("done")),
          talks(0, ["read_file", { path: "a.txt" }]),
          talks(1, ["execute_command", { command: "seq 1 430; echo THE OUTCOME" }]),
          ...talk.slice(2)
        )
      ])
      files(world, ["a.txt"], 110)
      const { events, record } = yield* session(world, "came out")
      assert.strictEqual(record.status, "completed")
      assert.deepStrictEqual(stepsOf(events), ["summary"])
      const asking = requestsOf(world, "came out").filter((body) =>
        JSON.stringify(body).includes("replaced by what you write now")
      )
      assert.strictEqual(asking.length, 1)
      assert.notInclude(JSON.stringify(asking), "Left out")
      assert.include(JSON.stringify(asking), "THE OUTCOME\\nexit code 0")
      assert.include(JSON.stringify(asking), "this is a.txt")
    })
  )

  it.live("names in a summary the files that were really changed, also by commands and subtasks", () =>
    Effect.gen(function* () {
      const replaces = (name: string, from: string) =>
        ["replace_in_file", { path: name, diff: `<<<<<<< SEARCH\n${from}\n=======\nnew\n>>>>>>> REPLACE` }] as const
      const patch = [
        "*** Begin Patch",
        "*** Update File: from.txt",
        "*** Move to: to.txt",
        "@@",
        "-one",
        "+two",
        "*** Delete File: gone.txt",
        "*** End Patch"
      ].join("\n")
      const world = yield* make([
        script(
          "files",
          sums("THE SUMMARY"),
          atMark(completes("done")),
          calls(["read_file", { path: "read.txt" }], replaces("read.txt", "not in it")),
          calls(["read_file", { path: "read.txt" }], replaces("refused.txt", "one")),
          calls(
            // As other agents call the parameter.
            ["write_to_file", { file_path: "renamed.txt", content: "x" }],
            replaces("edited.txt", "one"),
            ["apply_patch", { patch }]
          ),
          calls(["execute_command", { command: "echo 2 > made.txt; rm away.txt" }]),
          calls(["new_task", { message: "the child" }]),
          ...talk
        ),
        script(
          "the child",
          calls(["read_file", { path: "child.txt" }], replaces("child.txt", "one")),
          calls(["execute_command", { command: "echo 2 > child-made.txt" }]),
          completes("made")
        )
      ])
      files(world, [])
      const names = ["read", "refused", "edited", "from", "gone", "away", "child"]
      for (const name of names) world.write(`${name}.txt`, "one\n")
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: (ask) =>
          Effect.succeed({
            decision: JSON.stringify(ask).includes("refused.txt") ? ("deny" as const) : ("allow" as const)
          }),
        answer: () => Effect.succeed({ text: "Stop" })
      })
      const { record } = yield* world.session(
        run(world.task("files", {}, { ...small, checkpoints: true, approvals: Approvals.ask })),
        { person }
      )
      assert.strictEqual(record.status, "completed")
      const [summed] = requestsOf(world, "files").filter((body) => JSON.stringify(body).includes("THE SUMMARY"))
      const standIn: string = summed.messages[0].content.at(-1).text
      assert.strictEqual(
        /Files in play:\n[^]*?(?=\n\n|$)/u.exec(standIn)?.[0],
        [
          "Files in play:",
          "- made.txt (changed)",
          "- away.txt (deleted)",
          "- gone.txt (deleted)",
          "- to.txt (changed)",
          "- from.txt (deleted)",
          "- edited.txt (changed)",
          "- renamed.txt (changed)",
          "- read.txt (read)",
          "- child-made.txt (changed)",
          "- child.txt (changed)"
        ].join("\n")
      )
    })
  )

  it.live("in the end loses its older part at the border of a turn, after two summaries that brought nothing", () =>
    Effect.gen(function* () {
      const tooMuch = sums("nothing shorter than before ".repeat(3000))
      const world = yield* make([script("stuck", tooMuch, atMark(completes("done")), ...talk)])
      files(world, [])
      const { events, record, shown } = yield* session(world, "stuck")
      assert.strictEqual(record.status, "completed")
      assert.deepStrictEqual(stepsOf(events), ["cut"])
      const asked = requestsOf(world, "stuck").filter((body) =>
        JSON.stringify(body).includes("replaced by what you write")
      )
      assert.strictEqual(asked.length, 2)
      isWhole(requestsOf(world, "stuck"))
      assert.include(
        JSON.stringify(shown.messages),
        `"[4 earlier messages were left out to make room. Read again what you need, and ask the user when a decision is missing.]`
      )
      // What the summaries cost is counted.
      assert.strictEqual(events.filter(({ type }) => type === "usage").length, requestsOf(world, "stuck").length)
    })
  )

  it.live("is condensed once when the service finds the prompt too long, and the request is made again", () =>
    Effect.gen(function* () {
      const tooLong = { status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" }
      const first = { ...completes("done"), error: tooLong, times: 1 }
      const world = yield* make([script("surprise", read("a.txt"), read("b.txt"), read("c.txt"), first)])
      files(world, ["a.txt", "b.txt", "c.txt"])
      const settings = { models: { "test-model": { inputLimit: 200_000, outputReserve: 2000 } } }
      const { events, record } = yield* session(world, "surprise", settings)
      assert.strictEqual(record.status, "completed")
      assert.deepStrictEqual(stepsOf(events), ["outputs"])
      assert.strictEqual(requestsOf(world, "surprise").length, 5)
    })
  )

  it.live("fails when the prompt is still too long, asks nothing, and is not condensed for ever", () =>
    Effect.gen(function* () {
      const error = { status: 400, message: "prompt is too long" }
      const world = yield* make([script("hopeless", sums("SHORT"), atMark({ error }), ...talk)])
      files(world, [])
      const { events, id, record } = yield* session(world, "hopeless")
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "context", from: "active" } })
      // Four turns, a summary, the refused request, two summaries that brought nothing, and the request once more.
      assert.strictEqual(requestsOf(world, "hopeless").length, 9)
      const asks = yield* world.session(TaskHistory.use((history) => history.asks(id)))
      assert.deepStrictEqual(asks, [])
      const told = events.findLast((event) => event.type === "error")
      assert.match(told?.message ?? "", /^the conversation does not fit into the context of test-model, also after/)
    })
  )

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
