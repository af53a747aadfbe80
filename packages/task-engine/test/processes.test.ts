/** Commands that outlive their call, and what commands had put out that were cut off: as the model reads it. */
import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { Processes } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Ask, UserPort, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { until } from "./windows.ts"
import {
  calls,
  completes,
  eventually,
  make,
  requestsOf,
  results,
  resume,
  script,
  unmarked,
  waitFor,
  type World
} from "./world.ts"

/** By what the output of a call is read. */
const idOf = (callId: string): string => createHash("sha256").update(callId).digest("hex").slice(0, 8)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== "linux" || !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

const inBackground = (command: string, callId: string) =>
  ["execute_command", { command, background: true }, callId] as const

const read = (callId: string, as: string) => ["read_command_output", { id: idOf(callId) }, as] as const

/** The texts of a conversation's newest message in a request. */
const newest = (world: World, prompt: string, at: number): ReadonlyArray<string> => {
  const { messages } = requestsOf(world, prompt)[at]
  return messages
    .at(-1)
    .content.map(
      (block: any) => block.text ?? (typeof block.content === "string" ? block.content : block.content[0].text)
    )
}

const begun = (world: World, prompt: string, settings: Parameters<World["task"]>[2] = {}) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const id = yield* engine.create(world.task(prompt, {}, { sandbox: "off", ...settings }))
    return { engine, id, fiber: yield* Effect.forkChild(engine.run(id)) }
  })

const pidFile = (world: World, name: string) =>
  Effect.map(
    until(() => world.exists(name) && world.read(name).endsWith("\n")),
    () => Number(world.read(name))
  )

describe("a command that is cut off", () => {
  it.live("by a stop keeps what it had put out in its result", () =>
    Effect.gen(function* () {
      const command = "echo compiling; printf 'half a li'; sleep 600"
      const world = yield* make([script("build", calls(["execute_command", { command }, "c1"]), completes("done"))])
      yield* world.session(
        Effect.gen(function* () {
          const shown = yield* eventually((event) => event.type === "tool.output" && event.chunk.includes("half"))
          const { engine, id, fiber } = yield* begun(world, "build")
          yield* shown
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(fiber)
          assert.strictEqual(
            (yield* results(id)).get("c1"),
            "Interrupted: the task was stopped while this ran, and it was ended. It was not run again; check before you repeat it. It is not known how far it got. What it had printed:\ncompiling\nhalf a li"
          )
        })
      )
      yield* check(world.home)
    })
  )

  it.live("by a kill of Belay keeps what it had put out, for the process that goes on", () =>
    Effect.gen(function* () {
      const command = "seq 1 5; echo ready > ready; sleep 600"
      const world = yield* make([script("build", calls(["execute_command", { command }, "c1"]), completes("done"))])
      const program = path.join(import.meta.dirname, "fixtures", "runs.ts")
      const place = [world.server.url, world.workspace, world.home, "build", JSON.stringify({ sandbox: "off" })]
      const other = Processes.spawnNode(["--conditions=@belay/source", program, ...place], {})
      const file = () => {
        const [task = ""] = fs.existsSync(path.join(world.home, "tasks"))
          ? fs.readdirSync(path.join(world.home, "tasks"))
          : []
        return path.join(world.home, "tasks", task, "output", `${idOf("c1")}.txt`)
      }
      yield* until(() => world.exists("ready") && fs.existsSync(file()) && fs.statSync(file()).size === 10)
      assert.strictEqual(fs.statSync(file()).mode & 0o777, 0o600)
      yield* Effect.promise(() => other.kill())
      const given = yield* world.session(
        Effect.gen(function* () {
          const [row] = (yield* (yield* TaskHistory).list({ limit: 1 })).rows
          if (row === undefined) return assert.fail("no task")
          yield* resume(row.record.id)
          return yield* results(row.record.id)
        })
      )
      assert.strictEqual(
        given.get("c1"),
        "Interrupted: the process that had the task went away while this ran. It was not run again; check before you repeat it. It is not known how far it got. What it had printed:\n1\n2\n3\n4\n5"
      )
      const sent = requestsOf(world, "build").map(({ messages, system, tools }) => unmarked([system, tools, messages]))
      assert.lengthOf(sent, 2)
      assert.isTrue(sent[1]?.startsWith(sent[0]?.slice(0, -"]]".length) ?? "none"), "what was sent is sent again")
      yield* check(world.home)
    })
  )
})

describe("a command in the background", () => {
  it.live("is read as often as there is need, ends with the task, and its end is told once", () =>
    Effect.gen(function* () {
      const server = "echo $$ > pid; echo up; while :; do sleep 0.4; echo tick; done"
      const watcher = "echo watching; while [ ! -e stop ]; do sleep 0.01; done; echo broken; exit 2"
      const looks = [1, 2, 3, 4, 5, 6].map((at) => calls(read("web", `look ${at}`)))
      const world = yield* make([
        script(
          "serve",
          calls(inBackground(server, "web"), inBackground(watcher, "watch")),
          calls(["execute_command", { command: "touch stop" }, "touch"]),
          { ...calls(["list_files", { path: "." }, "list"]), hold: "ended" },
          ...looks,
          completes("done")
        )
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { id, fiber } = yield* begun(world, "serve")
          yield* waitFor(world, 3)
          const pid = yield* pidFile(world, "pid")
          assert.isTrue(isAlive(pid))
          const file = path.join(world.home, "tasks", id, "output", `${idOf("watch")}.txt`)
          yield* until(() => fs.readFileSync(file, "utf8").includes("broken"))
          world.server.release("ended")
          const { record } = yield* Fiber.join(fiber)
          assert.strictEqual(record.status, "completed")
          assert.isFalse(isAlive(pid), "it ends with the task")
          const given = yield* results(id)
          const runs = (callId: string) =>
            `[It runs in the background with id ${idOf(callId)}: read_command_output reads on, stop_command ends it, and so does the end of the task.]`
          assert.strictEqual(given.get("web")?.replaceAll("tick\n", ""), `up\n${runs("web")}`)
          assert.strictEqual(given.get("watch"), `watching\n${runs("watch")}`)
          const told = requestsOf(world, "serve").map((_, at) =>
            newest(world, "serve", at).filter((text) => text.startsWith("[Background"))
          )
          assert.deepStrictEqual(told.flat(), [
            `[Background process ${idOf("watch")} (${watcher}) has ended: exit code 2. Its last lines:\nwatching\nbroken]`
          ])
          assert.match(given.get("look 6") ?? "", /^(tick\n)+\[Bytes \d+ to (\d+) of \2\. It is running\.\]$/)
        })
      )
      yield* check(world.home)
    })
  )

  it.live("that ended with a stop is named to the task when it goes on, once", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "serve",
          calls(inBackground("echo $$ > pid; echo up; exec sleep 600", "web")),
          { ...calls(["list_files", { path: "." }, "one"]), hold: "gate" },
          calls(["list_files", { path: "." }, "two"]),
          completes("done"),
          completes("done")
        )
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { engine, fiber, id } = yield* begun(world, "serve")
          yield* waitFor(world, 2)
          const pid = yield* pidFile(world, "pid")
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(fiber)
          assert.isFalse(isAlive(pid))
          world.server.release("gate")
          yield* resume(id)
        })
      )
      const told = requestsOf(world, "serve").map((_, at) =>
        newest(world, "serve", at).filter((text) => text.startsWith("[Background"))
      )
      assert.deepStrictEqual(told.slice(0, 4), [
        [],
        [],
        [
          `[Background process ${idOf("web")} (echo $$ > pid; echo up; exec sleep 600) ended when the task stopped. Start it again if you need it.]`
        ],
        []
      ])
      yield* check(world.home)
    })
  )

  it.live("ends with the host", () =>
    Effect.gen(function* () {
      const server = inBackground("echo $$ > pid; echo up; exec sleep 600", "web")
      const world = yield* make([script("serve", calls(server), { ...completes("x"), hold: "never" })])
      const pid = yield* world.session(
        Effect.gen(function* () {
          yield* begun(world, "serve")
          yield* waitFor(world, 2)
          return yield* pidFile(world, "pid")
        })
      )
      assert.isFalse(isAlive(pid))
      yield* check(world.home)
    })
  )

  it.live("of a subtask ends with it, and is nobody else's", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "outer",
          calls(inBackground("echo $$ > outer; echo up; exec sleep 600", "mine")),
          calls(["new_task", { message: "inner" }, "n"]),
          {
            ...calls(["stop_command", { id: idOf("theirs") }, "stop"], ["stop_command", { id: idOf("mine") }, "own"]),
            hold: "gate"
          },
          completes("done")
        ),
        script(
          "inner",
          calls(inBackground("echo $$ > inner; echo up; exec sleep 600", "theirs")),
          calls(["read_command_output", { id: idOf("mine") }, "peek"]),
          completes("part")
        )
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { fiber, id } = yield* begun(world, "outer")
          yield* waitFor(world, () => requestsOf(world, "outer").length === 3)
          const inner = yield* pidFile(world, "inner")
          // Its parent may go on a moment before.
          yield* until(() => !isAlive(inner))
          assert.isTrue(isAlive(yield* pidFile(world, "outer")))
          world.server.release("gate")
          yield* Fiber.join(fiber)
          const given = yield* results(id)
          assert.include(given.get("stop"), "No background process of this task has this id.")
          assert.include(given.get("own"), "Stopped echo $$ > outer")
          const [child] = yield* (yield* TaskHistory).children(id)
          const below = child === undefined ? new Map<string, string>() : yield* results(child.record.id)
          assert.include(below.get("peek"), "There is no output of this id in this task.")
        })
      )
      yield* check(world.home)
    })
  )

  it.live("is judged, asked about and refused as the same command is without", () =>
    Effect.gen(function* () {
      const judged = (more: object, mode: "plan" | "act") =>
        Effect.gen(function* () {
          const command = (text: string, id: string) => ["execute_command", { command: text, ...more }, id] as const
          const last = mode === "act" ? completes("done") : calls(["plan_mode_respond", { response: "plan" }])
          const world = yield* make([
            script(
              "judge",
              calls(command("echo x > made", "write"), command("cat ../secret.pem", "secret"), command("ls", "list")),
              last
            )
          ])
          const asked: Array<unknown> = []
          const person = Layer.succeed(UserPort, {
            attended: true,
            approve: ({ reason, rule }: Ask) =>
              Effect.sync(() => (asked.push({ reason, rule }), { decision: "allow" as const })),
            answer: () => Effect.never
          })
          return yield* world.session(
            Effect.gen(function* () {
              const engine = yield* TaskEngine
              const task = world.task("judge", { mode }, { sandbox: "off", approvals: Approvals.ask })
              const id: TaskId.TaskId = yield* engine.create(task)
              const fiber = yield* Effect.forkChild(engine.run(id))
              yield* waitFor(world, 2)
              const given = yield* results(id)
              yield* engine.interrupt(id, "user")
              yield* Fiber.join(fiber)
              return { asked, made: world.exists("made"), write: given.get("write"), list: given.get("list") }
            }),
            { person }
          )
        })
      for (const mode of ["act", "plan"] as const) {
        const plain = yield* judged({}, mode)
        assert.strictEqual(plain.made, mode === "act")
        assert.deepStrictEqual(yield* judged({ background: true }, mode), plain)
      }
    })
  )
})
