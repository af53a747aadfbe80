/** Presets of subtasks: what a subtask begins with when it is started as an agent of its folder. */
import { ProjectContext } from "@belay/prompt-context"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { calls, completes, make, price, requestsOf, run, script } from "./world.ts"

const agents: ReadonlyArray<ProjectContext.Agent> = [
  {
    name: "reviewer",
    description: "Reads\nwhat changed",
    text: "Be strict. </rules>",
    tools: ["Read", "Task", "Bash(git diff:*)", "mcp__docs__find"],
    model: "haiku"
  },
  { name: "other", description: "", text: "Anything." }
]

const told = Effect.provideService(ProjectContext.ProjectContext, {
  content: () => Effect.succeed({ ...ProjectContext.nothing, agents }),
  below: () => Effect.succeed([])
})

/** Every text that a request holds. */
const textOf = (request: unknown): string => {
  const texts: Array<string> = []
  JSON.stringify(request, (key, value: unknown) =>
    key === "text" && typeof value === "string" ? texts.push(value) : value
  )
  return texts.join("\n")
}

const sub = (message: string, agent: string) => ["new_task", { message, agent }] as const

describe("an agent of a folder", () => {
  it.live("makes no call with a model whose price is not known where cost is limited", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("look at it", "reviewer")), completes("joined")),
        script("look at it", completes("seen"))
      ])
      const models = {
        "test-model": { inputLimit: 200_000, outputReserve: 8192, price },
        "own-haiku": { inputLimit: 9000 }
      }
      const limited = world.task("root", {}, { models, maxCostUsd: 5 })
      yield* world.session(run(limited).pipe(told))
      assert.isNotEmpty(requestsOf(world, "root"))
      assert.isEmpty(requestsOf(world, "look at it"))
    })
  )

  it.live("gives a subtask its words, its model, and of the parent's tools no others than it names", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("look at it", "reviewer")), completes("joined")),
        script(
          "look at it",
          calls(["write_to_file", { path: "a.txt", content: "no" }], ["read_file", { path: "b.txt" }]),
          calls(sub("deeper", "other")),
          completes("seen")
        ),
        script("deeper", completes("done"))
      ])
      world.write("b.txt", "what is there")
      const models = { "claude-haiku-4-5": { inputLimit: 100_000, outputReserve: 4096 } }
      yield* world.session(run(world.task("root", {}, { models })).pipe(told))
      const [first] = requestsOf(world, "root")
      assert.include(textOf(first), '<agents of="new_task">\nreviewer: Reads what changed\nother\n</agents>')
      const [asked, answered] = requestsOf(world, "look at it")
      assert.strictEqual(asked?.model, "claude-haiku-4-5")
      assert.deepStrictEqual(
        (asked?.tools ?? []).map(({ name }: { readonly name: string }) => name).toSorted(),
        [
          "ask_followup_question",
          "attempt_completion",
          "list_code_definition_names",
          "list_tasks",
          "load_skill",
          "new_task",
          "plan_mode_respond",
          "read_file",
          "wait_for_tasks"
        ],
        "single commands and tools of a server are not given, rather than all of them"
      )
      assert.include(textOf(asked), '<rules of="agent reviewer">\nBe strict. <\\/rules>')
      assert.include(textOf(asked), "(There is nothing here for: Bash(git diff:*), mcp__docs__find. Go on without.)")
      assert.include(textOf(answered), "There is no tool 'write_to_file' for this task.")
      assert.include(textOf(answered), "what is there")
      assert.isFalse(world.exists("a.txt"))
      const [deeper] = requestsOf(world, "deeper")
      assert.notInclude(JSON.stringify(deeper?.tools), '"write_to_file"', "what it starts has no more than it has")
    }).pipe(told)
  )

  it.live("that is not there starts nothing, and the model is told which there are", () =>
    Effect.gen(function* () {
      const world = yield* make([script("root", calls(sub("look at it", "reviewr")), completes("alone"))])
      yield* world.session(run(world.task("root")).pipe(told))
      const [, second] = requestsOf(world, "root")
      assert.include(textOf(second), 'there is no agent "reviewr". Use one of: reviewer, other.')
      assert.deepStrictEqual(requestsOf(world, "look at it"), [])
    }).pipe(told)
  )
})
