import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { check } from "./sound.ts"
import { type Answer, completes, make, requestsOf, resultsOf, run, script, type SessionOptions } from "./world.ts"

const broken = '{"command": "echo "broken""}'
const content = (lines: number) => "row\\n".repeat(lines)
const half = `{"path": "src/rows.js", "content": "${content(612)}half a`

const withRaw = (name: string, raw: string) => ({ type: "tool_use" as const, name, input: {}, raw })
const read = { type: "tool_use" as const, name: "read_file", input: { path: "a.txt" } }
const command = { type: "tool_use" as const, name: "execute_command", input: { command: "echo run >> log" } }

/** One answer, then the completion: what the model reads of the answer's calls, and the steps of the answer's commit. */
const after = (answer: Answer) =>
  Effect.gen(function* () {
    const world = yield* make([script("go", answer, completes("done"))])
    world.write("a.txt", "one\n")
    const commits: Array<ReadonlyArray<string>> = []
    const seen: SessionOptions["seen"] = (history) => ({
      commit: (steps) =>
        Effect.tap(history.commit(steps), () => Effect.sync(() => commits.push(steps.map(({ _tag }) => _tag))))
    })
    const { record } = yield* world.session(run(world.task("go")), { seen })
    assert.deepInclude(record, { status: "completed", result: "done" })
    yield* check(world.home)
    const sent = requestsOf(world, "go")
    assert.strictEqual(sent.length, 2)
    const told = resultsOf(sent[1].messages.at(-1)).map(([, text]) => text)
    return { world, told, commit: commits.find((tags) => tags.includes("Answer")) }
  })

describe("a call with arguments that are not JSON", () => {
  it.live("costs nothing of its answer: the others run, and the model reads place and cause", () =>
    Effect.gen(function* () {
      const { commit, told } = yield* after({ content: [withRaw("execute_command", broken), read] })
      const [why, file] = told
      assert.strictEqual(
        why,
        "Not run: the arguments of execute_command are not JSON (character 19: a comma or } is missing). Escape quotes and line breaks in strings, and send the call again."
      )
      assert.include(file, "one")
      assert.deepStrictEqual(commit, ["Answer", "CallsSettled"])
    })
  )

  it.live("is answered when it is the only one of its answer, and is never run without its arguments", () =>
    Effect.gen(function* () {
      const { told } = yield* after({ content: [withRaw("list_files", '{"path" "."}')] })
      assert.deepStrictEqual(told, [
        "Not run: the arguments of list_files are not JSON (character 8: a colon is missing). Escape quotes and line breaks in strings, and send the call again."
      ])
    })
  )
})

describe("a call that the output limit cut off", () => {
  it.live("is named with its file and its lines beside what ran before it", () =>
    Effect.gen(function* () {
      const cut = withRaw("write_to_file", half)
      const { commit, told, world } = yield* after({ content: [command, cut], stopReason: "max_tokens" })
      assert.strictEqual(world.read("log"), "run\n")
      assert.isFalse(world.exists("src/rows.js"))
      assert.strictEqual(
        told[1],
        "[Your answer was cut off at the output limit of 8192 tokens, in a write_to_file call for src/rows.js after 612 lines. That call was dropped; the calls before it ran. Write the file in parts: the first part with write_to_file, each further one with apply_patch.]"
      )
      assert.deepStrictEqual(commit, ["Answer", "CallsSettled"])
    })
  )

  it.live("is named when it is the only one", () =>
    Effect.gen(function* () {
      const at = "[Your answer was cut off at the output limit of 8192 tokens, in "
      const expected = [
        ["execute_command", '{"comm', "an execute_command call. That call was dropped. Go on in smaller steps.]"],
        [
          "apply_patch",
          '{"patch": "*** Begin Patch\\n*** Update File: src/a.js\\n@@',
          "an apply_patch call for src/a.js after 2 lines. That call was dropped. Make the change in parts, each with an apply_patch of its own.]"
        ],
        [
          "replace_in_file",
          '{"path": "a.js", "diff": "------- SEARCH\\n',
          "a replace_in_file call for a.js after 1 line. That call was dropped. Make the change in parts, each with a replace_in_file of its own.]"
        ]
      ] as const
      for (const [name, raw, text] of expected) {
        const { told } = yield* after({ content: [withRaw(name, raw)], stopReason: "max_tokens" })
        assert.deepStrictEqual(told, [`${at}${text}`])
      }
    })
  )
})

describe("calls with one id in an answer", () => {
  it.live("are all run, and each gets its own result", () =>
    Effect.gen(function* () {
      const one = { type: "tool_use" as const, id: "same", name: "read_file", input: { path: "a.txt" } }
      const other = { ...one, name: "execute_command", input: { command: "echo run >> log; echo ran" } }
      const { told, world } = yield* after({ content: [one, other] })
      assert.include(told[0], "one")
      assert.include(told[1], "ran")
      assert.strictEqual(world.read("log"), "run\n")
    })
  )
})
