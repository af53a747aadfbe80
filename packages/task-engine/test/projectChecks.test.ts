/** Checks of the project: what its manifests held is kept with the task, and one that the task changes has them ask. */
import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { Manifests, Sandbox } from "@belay/tool-executor/workspace"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Settings } from "@belay/settings"
import { type Ask, UserPort } from "../src/index.ts"
import * as Known from "../src/lifecycle/Manifests.ts"
import { calls, completes, make, results, run, script } from "./world.ts"

/** A box that runs what it is given as it is. */
const box: Sandbox.Sandbox = {
  state: () => Effect.succeed({ _tag: "Confined", by: "bubblewrap" }),
  lastState: () => Effect.succeed({ _tag: "Confined", by: "bubblewrap" }),
  confine: ({ args, env, program }) => Effect.succeed({ program, args, env, setAside: Effect.succeed([]) })
}

const willing = () => {
  const asked: Array<Ask> = []
  const approve = (ask: Ask) => Effect.sync(() => (asked.push(ask), { decision: "allow" as const }))
  return { asked, person: Layer.succeed(UserPort, { attended: true, approve, answer: () => Effect.never }) }
}

const check = (id: string) => calls(["execute_command", { command: "make test" }, id])
const approvals = { ...Approvals.project, protected: "allow" as const }

describe("the checks of a project", () => {
  it.live("run in the sandbox without asking, and ask once the task has changed what they run", () =>
    Effect.gen(function* () {
      const diff = "------- SEARCH\n\techo first\n=======\n\techo second\n+++++++ REPLACE\n"
      const answers = [
        check("1"),
        calls(["replace_in_file", { path: "Makefile", diff }, "w"]),
        check("2"),
        check("3"),
        completes("Done.")
      ]
      const world = yield* make([script("go", ...answers)])
      world.write("Makefile", "test:\n\techo first\n")
      const beginning = Manifests.read(world.workspace)
      const { asked, person } = willing()
      const { given, settings } = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("go", {}, { approvals }))
          const row = Option.getOrThrow(yield* (yield* TaskHistory).row(id))
          return { given: yield* results(id), settings: yield* Settings.decode(row.meta.settings) }
        }),
        { sandbox: box, person }
      )
      assert.deepStrictEqual(Object.keys(beginning), ["Makefile"])
      assert.deepStrictEqual(settings.manifests, beginning)
      assert.deepStrictEqual(
        asked.map(({ rule }) => rule),
        ["commands.checks"]
      )
      const said = ["1", "2", "3"].map((call) => given.get(call)?.split("\n")[1])
      assert.deepStrictEqual(said, ["first", "second", "second"])
    })
  )

  it.live("are those of the moment when they are allowed, and stay as long as they are", () =>
    Effect.gen(function* () {
      const { workspace, write } = yield* make([])
      write("Makefile", "test:\n\techo first\n")
      const known = (approved: Approvals.Approvals, settings?: Settings.TaskSettings) =>
        Known.known({ ...(settings ?? Settings.defaults(approved)), approvals: approved }, workspace)
      const none = known(Approvals.edits)
      const first = known(Approvals.project, none)
      write("Makefile", "test:\n\techo second\n")
      assert.isUndefined(none.manifests)
      assert.deepStrictEqual(known(Approvals.project, first).manifests, first.manifests)
      assert.notDeepEqual(known(Approvals.project, none).manifests, first.manifests)
      assert.isUndefined(known(Approvals.ask, first).manifests)
      assert.deepStrictEqual(Settings.inherited(none, first).manifests, first.manifests)
    })
  )
})
