import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { UserPort } from "@belay/task-engine"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import * as Prompt from "../src/prompt/Prompt.ts"
import { calls, completes, make, recorded, requestsOf, run, script } from "./world.ts"
import {
  small,
  read,
  files,
  atMark,
  condensed,
  stepsOf,
  breaks,
  isWhole,
  session,
  sums,
  talks,
  talk
} from "./filled.ts"

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
})
