import { DeepPlanning, HandOver, PlanDocument } from "@belay/modes"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"

const runs = { arbitrary: { runs: 500 } }
const event = Arbitrary.schema(Schema.Literals(["asked", "writing", "saved"]))

describe("the phases", () => {
  it.prop(
    "go forward one by one, and back only to write the plan again; only a saved plan can be handed over",
    [Arbitrary.array(event, { maxLength: 12 })],
    ([events]) => {
      let phase: DeepPlanning.Phase = "investigation"
      let written = false
      for (const event of events) {
        const next: DeepPlanning.Phase = DeepPlanning.after(phase, event)
        if (event === "writing") written = true
        if (DeepPlanning.numberOf(next) < DeepPlanning.numberOf(phase))
          assert.deepStrictEqual([next, event], ["document", "writing"])
        phase = next
        const mayHandOver = DeepPlanning.refusal(phase, "hand_over") === undefined
        assert.strictEqual(mayHandOver, phase === "handOver")
        if (mayHandOver) assert.isTrue(written)
      }
    },
    runs
  )

  it("read new_task as a hand-over in the last one, and nowhere else", () => {
    const read = [...DeepPlanning.phases, undefined].map((phase) => DeepPlanning.read(phase, "new_task"))
    assert.deepStrictEqual(read, ["new_task", "new_task", "new_task", "hand_over", "new_task"])
  })

  it("begin with /deep-planning, and what comes after it is what is planned", () => {
    const asked = ["/deep-planning  add a\nparser ", "/deep-planning", "/deep-planningx", "use /deep-planning"]
    assert.deepStrictEqual(asked.map(DeepPlanning.asked), [
      "add a\nparser",
      "Ask what is to be planned.",
      undefined,
      undefined
    ])
  })

  it("are what save_plan and hand_over are for", () => {
    for (const tool of ["save_plan", "hand_over"])
      assert.include(DeepPlanning.refusal(undefined, tool), "/deep-planning")
    assert.isUndefined(DeepPlanning.refusal(undefined, "read_file"))
    assert.isUndefined(DeepPlanning.refusal("investigation", "save_plan"))
    assert.include(DeepPlanning.refusal("discussion", "hand_over"), "save_plan")
  })
})

const whole: Record<string, string> = Object.fromEntries(PlanDocument.sections.map((name) => [name, `About ${name}.`]))

describe("a plan", () => {
  it("has its eight sections in order, whatever the spelling and the order of their names", () => {
    const spelled = Object.fromEntries(
      Object.entries(whole)
        .toReversed()
        .map(([name, text]) => [name.toLowerCase().replace(" ", "_"), text])
    )
    const [text, other] = [whole, spelled].map((given) =>
      Result.getOrThrow(PlanDocument.render("Add  a\nparser", given))
    )
    assert.strictEqual(text, other)
    assert.match(text ?? "", /^# Add a parser\n\n## Overview\n\nAbout Overview\.\n\n## Types\n/u)
    const headings = [...(text ?? "").matchAll(/^## (.*)$/gmu)].map(([, name]) => name)
    assert.deepStrictEqual(headings, [...PlanDocument.sections])
  })

  it.prop(
    "is refused with the names of all sections that are missing or empty",
    [Arbitrary.array(Arbitrary.schema(Schema.Literals(["whole", "missing", "empty"])), { minLength: 8, maxLength: 8 })],
    ([states]) => {
      const named = (state: string) => PlanDocument.sections.filter((_, index) => states[index] === state)
      const given = Object.fromEntries([
        ...named("whole").map((name) => [name, "x"]),
        ...named("empty").map((name) => [name, " \n"])
      ])
      const result = PlanDocument.render("T", given)
      const [missing, empty] = [named("missing"), named("empty")]
      assert.strictEqual(Result.isSuccess(result), missing.length + empty.length === 0)
      if (Result.isFailure(result)) assert.deepInclude(result.failure, { missing, empty, unknown: [] })
    },
    runs
  )

  it("is refused when it names a section that no plan has", () => {
    const result = PlanDocument.render("T", { ...whole, Risks: "x" })
    assert.deepStrictEqual(Result.isFailure(result) && result.failure.unknown, ["Risks"])
  })
})

describe("a hand-over", () => {
  it("numbers the steps, whatever marks they came with", () => {
    const steps = HandOver.stepsOf(["- [ ] Step 1: Write it", "2. Test it", "  ", "Read\n3 files"])
    assert.deepStrictEqual(steps, ["Write it", "Test it", "Read 3 files"])
    assert.strictEqual(
      HandOver.prompt(steps.slice(0, 2)),
      "Refer to @implementation_plan.md for complete breakdown.\n\ntask_progress Items:\n- [ ] Step 1: Write it\n- [ ] Step 2: Test it\n\nRequest: Switch to act mode"
    )
  })

  it("finds the steps in the message of a new_task call", () => {
    const message = "Refer to the plan.\ntask_progress Items:\n- [ ] Step 1: Write it\n- [ ] Step 2: Test it\n- note"
    assert.deepStrictEqual(HandOver.stepsIn(message), ["Write it", "Test it"])
  })

  it("begins with looking by the tools that leave out what is ignored", () => {
    assert.strictEqual(
      DeepPlanning.notice("investigation"),
      `[Deep planning, phase 1 of 4: silent investigation. Change nothing and say nothing: look until the picture is complete, such as with
list_files: recursive for what there is; pattern for the manifests, such as **/package.json, which you read
search_files: the types, functions and imports that it is about; TODO|FIXME|XXX|HACK; files_only when there are many
list_code_definition_names: what a folder defines
These leave out what is ignored, such as node_modules; find and grep in a command do not.
Then ask what is open with ask_followup_question, or go on with save_plan.]`
    )
  })
})
