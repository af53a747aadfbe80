import { Mode } from "@belay/modes"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { named, tool } from "./tools.ts"

const runs = { arbitrary: { runs: 1000 } }
const make = (name: string, category: Mode.Category, readOnly = false): Mode.Tool => ({ name, category, readOnly })
const both = (given: Mode.Tool) => `${Mode.availability("plan", given)} ${Mode.availability("act", given)}`

describe("the table", () => {
  const cases: ReadonlyArray<readonly [Mode.Tool, plan: string, act: string]> = [
    [make("read_file", "read", true), "offered", "offered"],
    [make("list_files", "read", true), "offered", "offered"],
    [make("search_files", "read", true), "offered", "offered"],
    [make("fetch_url", "fetch", true), "offered", "offered"],
    [make("ask_followup_question", "internal"), "offered", "offered"],
    [make("load_skill", "internal"), "offered", "offered"],
    [make("list_tasks", "internal"), "offered", "offered"],
    [make("read_command_output", "internal"), "offered", "offered"],
    [make("stop_command", "internal"), "offered", "offered"],
    [make("execute_command", "command"), "offered", "offered"],
    [make("write_to_file", "edit"), "refused", "offered"],
    [make("replace_in_file", "edit"), "refused", "offered"],
    [make("apply_patch", "edit"), "refused", "offered"],
    [make("use_mcp_tool", "mcp"), "refused", "offered"],
    [{ ...make("use_mcp_tool", "mcp"), readOnlyMarkedByUser: true }, "offered", "offered"],
    [make("new_task", "delegate"), "refused", "offered"],
    [make("attempt_completion", "internal"), "refused", "offered"],
    [make("plan_mode_respond", "modeSwitch"), "offered", "refused"],
    [make("save_plan", "internal"), "offered", "refused"],
    [make("hand_over", "internal"), "offered", "refused"],
    [make("something_new", "internal"), "refused", "offered"],
    [make("something_new", "read"), "refused", "offered"],
    [make("deploy", "custom"), "refused", "offered"],
    [make("status", "custom", true), "offered", "offered"],
    [make("load_skill", "custom"), "refused", "offered"]
  ]
  for (const [given, plan, act] of cases) {
    const marked = given.readOnlyMarkedByUser === true ? ", marked read-only by the user," : ""
    it(`${given.name} (${given.category})${marked} is ${plan} in plan and ${act} in act`, () => {
      assert.strictEqual(both(given), `${plan} ${act}`)
    })
  }
})

describe("plan mode", () => {
  it.prop(
    "never offers an edit, whatever the tool is called and says of itself",
    [tool],
    ([given]) => {
      assert.strictEqual(Mode.availability("plan", { ...given, category: "edit" }), "refused")
    },
    runs
  )

  it.prop(
    "believes only the user that an MCP tool changes nothing",
    [tool],
    ([given]) => {
      const mcp: Mode.Tool = { ...given, category: "mcp" }
      assert.strictEqual(Mode.availability("plan", mcp), mcp.readOnlyMarkedByUser === true ? "offered" : "refused")
    },
    runs
  )

  it.prop(
    "refuses an unknown tool that is not read-only and no command",
    [tool],
    ([given]) => {
      if (named.includes(given.name) || given.readOnly || given.category === "command" || given.category === "mcp")
        return
      assert.strictEqual(Mode.availability("plan", given), "refused")
    },
    runs
  )

  it.prop(
    "when not strict asks for what it refused, and for nothing else",
    [tool],
    ([given]) => {
      const strict = Mode.availability("plan", given)
      const lax = Mode.availability("plan", given, { strictPlanMode: false })
      assert.strictEqual(lax, strict === "refused" ? "ask" : "offered")
      assert.strictEqual(Mode.availability("plan", given, { strictPlanMode: true }), strict)
      assert.strictEqual(Mode.availability("plan", given, {}), strict)
    },
    runs
  )
})

describe("act mode", () => {
  it.prop(
    "is the same whether plan mode is strict or not, and never asks",
    [tool],
    ([given]) => {
      const act = Mode.availability("act", given)
      assert.notStrictEqual(act, "ask")
      assert.strictEqual(Mode.availability("act", given, { strictPlanMode: false }), act)
    },
    runs
  )
})

describe("what the model is told", () => {
  it("has the tools of both modes; of these a mode leaves out what it refuses, and keeps what it asks for", () => {
    const tools = [make("read_file", "read", true), make("write_to_file", "edit"), make("save_plan", "internal")]
    const namesIn = (mode: Mode.Mode, options: Mode.Options = {}) =>
      Mode.usable(mode, tools, { deepPlanning: true, ...options }).map((tool) => tool.name)
    assert.deepStrictEqual(Mode.offered(tools, { deepPlanning: true }), tools)
    assert.deepStrictEqual(namesIn("plan"), ["read_file", "save_plan"])
    assert.deepStrictEqual(namesIn("act"), ["read_file", "write_to_file"])
    assert.deepStrictEqual(namesIn("plan", { strictPlanMode: false }), ["read_file", "write_to_file", "save_plan"])
  })

  it("has save_plan and hand_over in deep planning, and switch_mode where the user lets the model ask, and nowhere else", () => {
    const tools = ["save_plan", "hand_over", "switch_mode"].map((name) => make(name, "internal"))
    const namesIn = (options: Mode.Options) => Mode.offered(tools, options).map((tool) => tool.name)
    assert.deepStrictEqual(namesIn({}), [])
    assert.deepStrictEqual(namesIn({ deepPlanning: true }), ["save_plan", "hand_over"])
    assert.deepStrictEqual(namesIn({ mayAskToSwitch: true }), ["switch_mode"])
    const all = { deepPlanning: true, mayAskToSwitch: true, strictPlanMode: false }
    assert.deepStrictEqual(Mode.usable("act", tools, all), [])
  })

  it("names the tool and how to switch", () => {
    assert.strictEqual(
      Mode.refusal("plan", "write_to_file"),
      "Not run: write_to_file is for act mode. Present the plan with plan_mode_respond; the user switches to act mode."
    )
    assert.strictEqual(
      Mode.refusal("plan", "new_task", { mayAskToSwitch: true }),
      "Not run: new_task is for act mode. Present the plan with plan_mode_respond, or ask for act mode with switch_mode."
    )
    assert.strictEqual(
      Mode.refusal("act", "save_plan"),
      "Not run: save_plan is for plan mode. Do the work, and finish with attempt_completion."
    )
  })

  it("accepts the two modes and no other", () => {
    assert.isTrue(Schema.is(Mode.Mode)("plan") && Schema.is(Mode.Mode)("act"))
    assert.isFalse(Schema.is(Mode.Mode)("architect"))
  })
})
