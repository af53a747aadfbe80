/** A subtask is gone on with in a process that may not be able to go on with the task that waits for it. */
import { TaskHistory } from "@belay/history-store"
import { ModelClient } from "@belay/model-client"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { mkdirSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as path from "node:path"
import { shortId } from "../src/text.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  make,
  requestsOf,
  results,
  resume,
  run,
  script,
  type SessionOptions,
  type World
} from "./world.ts"

/** A root that has used an MCP server and waits for a subtask that has stopped with a question; no process has them. */
const stoppedBelow = Effect.gen(function* () {
  const world = yield* make([
    script(
      "root",
      calls(["use_mcp_tool", { server: "notes", tool: "jot" }, "m1"]),
      calls(["new_task", { message: "ask me" }, "n1"]),
      completes("joined")
    ),
    script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("answered"))
  ])
  const ids = yield* world.session(
    Effect.gen(function* () {
      const { id, record } = yield* run(world.task("root"))
      assert.strictEqual(record.status, "delegated")
      const [child] = yield* TaskHistory.use((history) => history.children(id))
      return { root: id, child: Option.getOrThrow(Option.fromUndefinedOr(child)).record.id }
    })
  )
  return { world, ...ids }
})

const rowOf = (id: TaskId.TaskId) =>
  Effect.map(
    TaskHistory.use((history) => history.row(id)),
    Option.getOrThrow
  )

/** Another process goes on with the subtask; what is left of the root then. */
const goOn = (world: World, root: TaskId.TaskId, child: TaskId.TaskId, options: SessionOptions = {}) =>
  world.session(
    Effect.gen(function* () {
      const ended = yield* resume(child, { message: "this one" })
      assert.deepInclude(ended.record.id === child ? ended.record : {}, { status: "completed", result: "answered" })
      const row = yield* rowOf(root)
      const events = yield* TaskHistory.use((history) => history.events(root, 1, 1000))
      const last = events.findLast(({ type }) => type === "error")
      return { row, said: last?.type === "error" ? last.message : undefined }
    }),
    options
  )

type Hindrance = (
  world: World,
  root: TaskId.TaskId
) => { readonly options?: SessionOptions; readonly workspace?: string; readonly why: string }

const keyless: NonNullable<SessionOptions["asked"]> = (client) =>
  ModelClient.byMode({
    act: client,
    plan: ModelClient.keyless("plan.example", "plan mode (plan.example)", "Set a key.")
  })

const hindrances: Readonly<Record<string, Hindrance>> = {
  "that works in another folder": (world, root) => {
    const workspace = path.join(world.workspace, "sub")
    mkdirSync(workspace)
    const db = new DatabaseSync(path.join(world.home, "belay.db"))
    db.prepare("UPDATE task SET workspace = ? WHERE id = ?").run(workspace, root)
    db.close()
    return { workspace, why: `this process works in ${world.workspace}` }
  },
  "whose folder is gone": (world) => {
    rmSync(world.workspace, { recursive: true })
    return { why: `its folder ${world.workspace} is not there` }
  },
  "without a key for its mode": () => ({
    options: { asked: keyless },
    why: "this process has no key for plan mode (plan.example)"
  }),
  "without an MCP server that it has used": () => ({
    options: { missing: (_workspace, servers) => Effect.succeed(servers.filter((name) => name === "notes")) },
    why: 'the MCP server "notes" is not available here'
  })
}

describe("a task whose subtask completes in a process", () => {
  for (const [process, hinder] of Object.entries(hindrances)) {
    it.live(`${process} has the report, waits as ready, and says why and where`, () =>
      Effect.gen(function* () {
        const { child, root, world } = yield* stoppedBelow
        yield* world.session(
          TaskHistory.use((history) =>
            history.commit([{ _tag: "SwitchAtRest", taskId: root, to: "plan", model: "test-model", said: [] }])
          )
        )
        const { options = {}, why, workspace = world.workspace } = hinder(world, root)
        const left = yield* goOn(world, root, child, options)
        assert.deepInclude(left.row.record, { status: "interrupted", attempt: 1 })
        assert.deepStrictEqual([left.row.derived, left.row.meta.workspace], ["ready", workspace])
        assert.isNull(left.row.lease)
        assert.strictEqual(
          left.said,
          `Its subtasks have reported, and it waits: ${why}. Resume ${shortId(root)} in ${workspace}.`
        )
        assert.lengthOf(requestsOf(world, "root"), 2)
        // Where it can be gone on with, it goes on with the report.
        mkdirSync(world.workspace, { recursive: true })
        const next = yield* world.session(
          Effect.gen(function* () {
            const ended = yield* resume(root, { mode: "act" })
            assert.strictEqual((yield* results(root)).get("n1"), "answered")
            return ended
          })
        )
        assert.deepInclude(next.record, { status: "completed", result: "joined" })
        yield* check(world.home)
      })
    )
  }

  it.live("that can host it goes on there", () =>
    Effect.gen(function* () {
      const { child, root, world } = yield* stoppedBelow
      const missing = () => Effect.succeed([])
      const { record } = yield* world.session(Effect.andThen(resume(child, { message: "this one" }), rowOf(root)), {
        missing
      })
      assert.deepInclude(record, { status: "completed", result: "joined" })
      yield* check(world.home)
    })
  )
})
