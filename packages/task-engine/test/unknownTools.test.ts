import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { calls, completes, make, requestsOf, results, run, script, type World } from "./world.ts"

const names = [
  "Bash",
  "Read",
  "Write",
  "Edit",
  "patch ",
  "Glob",
  "Grep",
  "lsp",
  "BashOutput",
  "KillShell",
  "KillBash",
  "Task",
  "wait_agent",
  "AskUserQuestion",
  "submit_and_exit",
  "Skill"
]

interface Offered {
  readonly name: string
  readonly input_schema: { readonly properties: object }
}

/** The tools of the first request. */
const offeredIn = (world: World, prompt: string): ReadonlyArray<Offered> => requestsOf(world, prompt)[0]?.tools ?? []

describe("a call of a tool of another agent", () => {
  it.live("names a tool that is offered, with parameters that it takes", () =>
    Effect.gen(function* () {
      const foreign = names.map((name): [string, unknown, string] => [name, {}, name])
      const world = yield* make([script("foreign", calls(...foreign), completes("x"))])
      const told = yield* world.session(Effect.flatMap(run(world.task("foreign")), ({ id }) => results(id)))
      const offered = new Map(
        offeredIn(world, "foreign").map(({ input_schema, name }) => [name, Object.keys(input_schema.properties)])
      )
      for (const name of names) {
        const [, use = "", parameters = ""] = /here\. Use (\w+) \{(.+)\}\.$/.exec(told.get(name) ?? "") ?? []
        assert.includeMembers(offered.get(use) ?? assert.fail(`${name}: ${told.get(name)}`), parameters.split(", "))
      }
    })
  )

  it.live("lists what can be called where there is no such tool in this mode", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "plan",
          calls(["ExitPlanMode", {}, "p"], ["Edit", {}, "e"]),
          calls(["plan_mode_respond", { response: "x" }])
        )
      ])
      const task = world.task("plan", { mode: "plan" })
      const told = yield* world.session(Effect.flatMap(run(task), ({ id }) => results(id)))
      const acts = new Set(["write_to_file", "replace_in_file", "apply_patch", "new_task", "attempt_completion"])
      const offered = offeredIn(world, "plan").flatMap(({ name }) => (acts.has(name) ? [] : [name]))
      assert.strictEqual(told.get("p"), "There is no tool ExitPlanMode here. Use plan_mode_respond {response}.")
      assert.strictEqual(told.get("e"), `There is no tool Edit here. Use one of: ${offered.join(", ")}.`)
    })
  )
})
