import { Approvals } from "@belay/approval-policy"
import { Sandbox } from "@belay/tool-executor/workspace"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Settings } from "@belay/settings"
import { type Ask, UserPort } from "../src/index.ts"
import { calls, completes, make, recorded, results, run, script } from "./world.ts"

const none = Sandbox.unavailable("No box was built.")

/** A box that says what it confined, and runs it as it is. */
const box = () => {
  const confined: Array<string> = []
  const opened: Array<string> = []
  const sandbox: Sandbox.Sandbox = {
    state: () => Effect.succeed({ _tag: "Confined", by: "bubblewrap" }),
    lastState: () => Effect.succeed({ _tag: "Confined", by: "bubblewrap" }),
    confine: ({ allowedDomains, args, env, program }) =>
      Effect.sync(() => {
        opened.push(...allowedDomains)
        confined.push(args.at(-1) ?? "")
        return { program, args, env, setAside: Effect.succeed([]) }
      })
  }
  return { confined, opened, sandbox }
}

const willing = (grant?: "task") => {
  const asked: Array<Ask> = []
  const layer = Layer.succeed(UserPort, {
    attended: true,
    approve: (ask) =>
      Effect.sync(() => {
        asked.push(ask)
        return { decision: "allow" as const, ...(grant === undefined ? {} : { grant }) }
      }),
    answer: () => Effect.never
  })
  return { asked, layer }
}

const touch = (name: string, id: string) => calls(["execute_command", { command: `echo x > ${name}` }, id])

/** What the events of a run say about the sandbox of each call that started. */
const ran = (
  settings: Partial<Settings.TaskSettings>,
  sandbox: Sandbox.Sandbox,
  person?: Layer.Layer<UserPort>,
  ...answers: ReadonlyArray<ReturnType<typeof touch>>
) =>
  Effect.gen(function* () {
    const world = yield* make([script("go", ...(answers.length > 0 ? answers : [touch("made", "c")]), completes("x"))])
    return yield* world.session(
      Effect.gen(function* () {
        const events = yield* recorded
        const { id } = yield* run(world.task("go", {}, settings))
        const started = events.flatMap((event) => (event.type === "tool.started" ? [event.sandbox] : []))
        return { started, events, made: world.exists("made"), given: yield* results(id) }
      }),
      person === undefined ? { sandbox } : { sandbox, person }
    )
  })

describe("a command that the rules allow", () => {
  it.live("runs confined where there is a sandbox, and its event says so", () =>
    Effect.gen(function* () {
      const { confined, opened, sandbox } = box()
      const { made, started } = yield* ran({}, sandbox)
      assert.deepStrictEqual([started, made, confined, opened], [["confined"], true, ["echo x > made"], []])
    })
  )

  it.live("reaches the hosts that the settings of its task list", () =>
    Effect.gen(function* () {
      const { opened, sandbox } = box()
      const allowedDomains = ["packages.example.com"]
      yield* ran({ allowedDomains }, sandbox)
      assert.deepStrictEqual(opened, allowedDomains)
      const own = Settings.defaults(Approvals.ask)
      const child = Settings.inherited({ ...own, allowedDomains: ["evil.example"] }, { ...own, allowedDomains })
      assert.deepStrictEqual(child.allowedDomains, allowedDomains)
    })
  )

  it.live("runs by the rules alone where there is none, and its event says so", () =>
    Effect.gen(function* () {
      const { made, started } = yield* ran({}, none)
      assert.deepStrictEqual([started, made], [["unavailable"], true])
    })
  )

  it.live("runs without where it is off", () =>
    Effect.gen(function* () {
      const { confined, sandbox } = box()
      const { made, started } = yield* ran({ sandbox: "off" }, sandbox)
      assert.deepStrictEqual([started, made, confined], [["off"], true, []])
    })
  )

  it.live("asks where a sandbox is required and there is none, so nobody there means denied", () =>
    Effect.gen(function* () {
      const { events, given, made, started } = yield* ran({ sandbox: "required" }, none)
      assert.deepStrictEqual([started, made], [[], false])
      assert.include(given.get("c"), "A sandbox is required, and there is none. No box was built. (rule: sandbox)")
      const [ask] = events.flatMap((event) => (event.type === "ask" ? [event] : []))
      assert.deepInclude(ask?.resolved, { sandbox: "unavailable" })
    })
  )
})

describe("a command that a person approved", () => {
  it.live("runs as it was asked, without the sandbox, and was shown its state", () =>
    Effect.gen(function* () {
      const { confined, sandbox } = box()
      const { asked, layer } = willing()
      const { made, started } = yield* ran({ approvals: Approvals.ask }, sandbox, layer)
      assert.deepStrictEqual([started, made, confined], [["approved"], true, []])
      assert.deepInclude(asked[0]?.resolved, { sandbox: "confined" })
    })
  )

  it.live("runs where a sandbox is required and there is none, because it was asked about", () =>
    Effect.gen(function* () {
      const { asked, layer } = willing()
      const { made, started } = yield* ran({ sandbox: "required" }, none, layer)
      assert.deepStrictEqual([started, made, asked.map(({ rule }) => rule)], [["approved"], true, ["sandbox"]])
    })
  )

  it.live("is asked about again each time where a sandbox is required, whatever was granted", () =>
    Effect.gen(function* () {
      const { asked, layer } = willing("task")
      const approvals = { ...Approvals.ask, edit: "allow" as const }
      const settings = { sandbox: "required" as const, approvals }
      const changes = (id: string) => calls(["execute_command", { command: "touch made" }, id])
      const answers = [changes("a"), changes("b")]
      const { started } = yield* ran(settings, none, layer, ...answers)
      assert.deepStrictEqual([started, asked.length], [["approved", "approved"], 2])
      const { asked: once, layer: again } = willing("task")
      const { started: granted } = yield* ran({ approvals }, none, again, ...answers)
      assert.deepStrictEqual([granted, once.length], [["approved", "unavailable"], 1])
    })
  )
})

describe("the setting", () => {
  it("is preferred where an older snapshot does not have it, and follows the parent", () => {
    const { sandbox: _, ...older } = Settings.defaults(Approvals.ask)
    assert.strictEqual(Effect.runSync(Settings.decode(older)).sandbox, "preferred")
    const own = { ...Settings.defaults(Approvals.all), sandbox: "off" as const }
    const parent = { ...own, sandbox: "required" as const }
    assert.strictEqual(Settings.inherited(own, parent).sandbox, "required")
  })
})
