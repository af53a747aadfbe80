import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import type { Hook, HookOutput } from "@belay/tool-executor/hooks"
import { HookRunner, Sandbox } from "@belay/tool-executor/workspace"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { type Ask, TaskEngine, UserPort } from "../src/index.ts"
import { calls, completes, make, type Answer, results, resume, run, script, type World } from "./world.ts"

const hook = (command: string, changes: Partial<Hook.Hook> = {}): Hook.Hook => ({
  event: "PreToolUse",
  command,
  timeoutSeconds: 60,
  onFailure: "ask",
  source: "user",
  ...changes
})

const real = HookRunner.make({ sandbox: Sandbox.unavailable("No box was built.") })

/** A runner that answers by the command of the hook, and notes what it was told. */
const scripted = (answers: Readonly<Record<string, HookOutput.Ended | "never">>) => {
  const told: Array<any> = []
  const runner: HookRunner.HookRunner = {
    run: ({ hook: { command }, input }) =>
      Effect.suspend(() => {
        told.push(input)
        const answer = answers[command] ?? exited(0)
        return answer === "never" ? Effect.never : Effect.succeed(answer)
      })
  }
  return { told, runner }
}

const exited = (code: number, stdout = "", stderr = ""): HookOutput.Ended => ({ _tag: "Exited", code, stdout, stderr })

const deciding = (permissionDecision: string, more: object = {}) =>
  exited(0, JSON.stringify({ hookSpecificOutput: { permissionDecision, ...more } }))

const willing = (decision: "allow" | "deny" = "allow") => {
  const asked: Array<Ask> = []
  const layer = Layer.succeed(UserPort, {
    attended: true,
    approve: (ask) => Effect.sync(() => (asked.push(ask), { decision })),
    answer: () => Effect.never
  })
  return { asked, layer }
}

const touches = (id = "c", name = "made"): Answer => calls(["execute_command", { command: `touch ${name}` }, id])

/** One call with these hooks: what its result says, and whether it ran. */
const called = (
  hooks: ReadonlyArray<Hook.Hook>,
  runner: HookRunner.HookRunner | undefined,
  options: { readonly person?: Layer.Layer<UserPort>; readonly approvals?: Approvals.Approvals } = {}
) =>
  Effect.gen(function* () {
    const world = yield* make([script("go", touches(), completes("x"))])
    const { approvals = Approvals.all, ...others } = options
    const session = { ...others, ...(runner === undefined ? {} : { hooks: runner }) }
    return yield* world.session(
      Effect.gen(function* () {
        const { id } = yield* run(world.task("go", {}, { hooks, approvals }))
        const runs = yield* (yield* TaskHistory).hookRuns(id, "c")
        return { said: (yield* results(id)).get("c") ?? "", made: world.exists("made"), runs }
      }),
      session
    )
  })

describe("hooks before a call", () => {
  it.live("are told of it, once, and deny it with their reason", () =>
    Effect.gen(function* () {
      const { runner, told } = scripted({ guard: exited(2, "", "not on Fridays") })
      const { made, runs, said } = yield* called(
        [hook("guard", { matcher: "Bash" }), hook("other", { matcher: "Edit" })],
        runner
      )
      assert.isFalse(made)
      assert.include(said, "Not run: The check guard denies it: not on Fridays (rule: hook).")
      assert.strictEqual(told.length, 1)
      assert.deepInclude(told[0], {
        hook_event_name: "PreToolUse",
        permission_mode: "bypassPermissions",
        tool_name: "Bash",
        tool_input: { command: "touch made" },
        tool_use_id: "c"
      })
      assert.deepInclude(told[0].belay, { tool: "execute_command", parent_task_id: null, call_id: "c", attempt: 1 })
      assert.strictEqual(runs.length, 1)
      assert.include(runs[0]?.output, "not on Fridays")
    })
  )

  it.live("of which one of ten denies, run at the same time, and it is denied", () =>
    Effect.gen(function* () {
      const world = yield* make([script("go", touches(), completes("x"))])
      // Each waits until all ten have begun.
      const waits =
        'touch "$CLAUDE_PROJECT_DIR/.began-$N"; while [ $(ls -A | grep -c began) -lt 10 ]; do :; done; exit '
      const hooks = Array.from({ length: 10 }, (_, at) => hook(`N=${at}; ${waits}${at === 6 ? 2 : 0}`))
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("go", {}, { hooks }))
          assert.include((yield* results(id)).get("c"), "(rule: hook)")
          assert.isFalse(world.exists("made"))
        }),
        { hooks: real }
      )
    })
  )

  it.live("without an answer ask a person, and deny where nobody is there", () =>
    Effect.gen(function* () {
      const broken = ["exit 1", "/nowhere/guard.sh", "echo '{\"hookSpecificOutput\": {'", "kill -9 $$"]
      for (const command of broken) {
        const alone = yield* called([hook(command)], real)
        assert.isFalse(alone.made, command)
        assert.include(alone.said, "denied, because nobody was there to answer. The check ")
        const { asked, layer } = willing()
        const { made } = yield* called([hook(command)], real, { person: layer })
        assert.isTrue(made)
        const offered = asked.map(({ grants, rule }) => [
          rule,
          ...grants.filter((it) => it.allowed).map(({ scope }) => scope)
        ])
        assert.deepStrictEqual(offered, [["hook.failed", "once"]])
        const blocking = yield* called([hook(command, { onFailure: "block" })], real, { person: layer })
        assert.deepStrictEqual([blocking.made, asked.length], [false, 1])
        assert.isTrue((yield* called([hook(command, { onFailure: "allow" })], real)).made)
      }
      const late = yield* called([hook("sleep 60", { timeoutSeconds: 0.2 })], real)
      assert.include(late.said, "The check sleep 60 failed: it took longer than 0.2 s.")
      assert.include((yield* called([hook("true")], undefined)).said, "hooks cannot be run here")
    })
  )

  it.live("allow as the user's own, and not as a project's", () =>
    Effect.gen(function* () {
      const { runner } = scripted({ guard: deciding("allow") })
      const approvals = Approvals.ask
      assert.isTrue((yield* called([hook("guard")], runner, { approvals })).made)
      assert.isFalse((yield* called([hook("guard", { source: "project" })], runner, { approvals })).made)
      assert.isFalse(
        (yield* called([hook("guard"), hook("late")], scripted({ guard: deciding("allow"), late: exited(1) }).runner, {
          approvals
        })).made
      )
    })
  )

  it.live("show the person the call as they changed it, and run once for an approved one", () =>
    Effect.gen(function* () {
      const { runner, told } = scripted({ guard: deciding("ask", { updatedInput: { command: "touch other" } }) })
      const { asked, layer } = willing()
      const { made, said } = yield* called([hook("guard")], runner, { person: layer })
      assert.isFalse(made)
      assert.deepStrictEqual(
        asked.map(({ question }) => question),
        ['execute_command {"command":"touch other"}']
      )
      assert.include(said, 'A check changed this call to {"command":"touch other"}.')
      assert.strictEqual(told.length, 1)
    })
  )

  it.live("are asked before reads as well, and by subtasks", () =>
    Effect.gen(function* () {
      const { runner, told } = scripted({ guard: exited(2, "", "secret") })
      const world = yield* make([
        script("parent", calls(["new_task", { message: "child" }]), completes("x")),
        script("child", calls(["read_file", { path: "a" }, "r"]), completes("y"))
      ])
      world.write("a", "text")
      yield* world.session(run(world.task("parent", {}, { hooks: [hook("guard", { matcher: "Read" })] })), {
        hooks: runner
      })
      assert.strictEqual(told.length, 1)
      assert.strictEqual(told[0].agent_id, told[0].belay.task_id)
      assert.strictEqual(told[0].session_id, told[0].belay.parent_task_id)
      assert.isTrue(
        world.server.requests.some(({ body }) => JSON.stringify(body).includes("The check guard denies it: secret"))
      )
    })
  )
})

/** Begins a task whose hook never answers, and ends the session in the middle of that. */
const cutOff = (world: World, hooks: ReadonlyArray<Hook.Hook>) =>
  Effect.gen(function* () {
    const began = Promise.withResolvers<void>()
    const runner: HookRunner.HookRunner = {
      run: () =>
        Effect.andThen(
          Effect.sync(() => began.resolve()),
          Effect.never
        )
    }
    return yield* world.session(
      Effect.gen(function* () {
        const engine = yield* TaskEngine
        const id = yield* engine.create(world.task("go", {}, { hooks }))
        const running = yield* Effect.forkChild(engine.run(id))
        yield* Effect.promise(() => began.promise)
        yield* Fiber.interrupt(running)
        return id
      }),
      { hooks: runner }
    )
  })

describe("hooks of a task that was cut off", () => {
  it.live("are not run twice: one without an answer has failed", () =>
    Effect.gen(function* () {
      const world = yield* make([script("go", touches(), completes("x"))])
      const id = yield* cutOff(world, [hook("guard")])
      const { runner, told } = scripted({ guard: exited(0) })
      const { asked, layer } = willing("deny")
      yield* world.session(resume(id), { hooks: runner, person: layer })
      assert.deepStrictEqual(told, [])
      assert.deepStrictEqual(
        asked.map(({ reason }) => reason),
        ["The check guard failed: it was cut off, and is not run twice."]
      )
      assert.isFalse(world.exists("made"))
    })
  )

  it.live("have their answers count again for the same call", () =>
    Effect.gen(function* () {
      const world = yield* make([script("go", touches(), completes("x"))])
      const first = scripted({ guard: deciding("ask", { permissionDecisionReason: "sure?" }) })
      const gone = Promise.withResolvers<void>()
      const layer = Layer.succeed(UserPort, {
        attended: true,
        approve: () =>
          Effect.andThen(
            Effect.sync(() => gone.resolve()),
            Effect.never
          ),
        answer: () => Effect.never
      })
      const id = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("go", {}, { hooks: [hook("guard")] }))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* Effect.promise(() => gone.promise)
          yield* Fiber.interrupt(running)
          return id
        }),
        { hooks: first.runner, person: layer }
      )
      const second = scripted({})
      const { asked, layer: there } = willing()
      yield* world.session(resume(id), { hooks: second.runner, person: there })
      assert.deepStrictEqual([first.told.length, second.told.length], [1, 0])
      assert.deepStrictEqual(
        asked.map(({ reason }) => reason),
        ["The check guard asks: sure?"]
      )
      assert.isTrue(world.exists("made"))
    })
  )

  it.live("deny from when a task has changed their script on", () =>
    Effect.gen(function* () {
      const edits = calls(["execute_command", { command: "touch one; echo true > guards/guard.sh" }, "c1"])
      const world = yield* make([script("go", edits, touches("c2", "two"), completes("x"))])
      world.write("guards/guard.sh", "exit 0\n")
      const hooks = [hook('bash "$CLAUDE_PROJECT_DIR"/guards/guard.sh', { matcher: "Bash" })]
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("go", {}, { hooks }))
          assert.include((yield* results(id)).get("c2"), "guards/guard.sh has changed since the task began")
        }),
        { hooks: real }
      )
      assert.deepStrictEqual([world.exists("one"), world.exists("two")], [true, false])
    })
  )
})
