/** Tools of a program without effects: what is told to the model is what is checked, and the policy hears of every file. */
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { Catalog, type Pipeline, type Tool, ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import { defineTool, type HostTool, InvalidTool, type StandardSchema } from "@belay/tool-executor/promise"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { context, textOf } from "./fixtures/Tools.ts"

const toolOf = (tool: HostTool) => tool["~belay"] as Tool.Tool

const answer = (tool: HostTool, input: unknown, more: Partial<Pipeline.TaskContext> = {}) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const executor = yield* ToolExecutor
      const settings = { ...context, approvals: { ...Approvals.edits, tools: { "*": "allow" } } as const, ...more }
      const prepared = yield* executor.prepare({ callId: "toolu_1", name: tool.name, input }, settings)
      if (prepared._tag === "Refused") return textOf(prepared.output)
      if (prepared.decision.decision === "ask") return `ask ${prepared.decision.rule}`
      return textOf(yield* executor.run(prepared, settings))
    }).pipe(
      Effect.provide(
        ToolExecutor.layer.pipe(Layer.provide([ToolCatalog.layer([toolOf(tool)]), ApprovalPolicy.ApprovalPolicy.layer]))
      )
    )
  )

const parameters = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { city: { type: "string", description: "A city" }, days: { type: "integer", minimum: 1 } },
  required: ["city"]
} as const

const weather = defineTool<{ readonly city: string; readonly days?: number }>({
  name: "weather",
  description: "The weather",
  parameters,
  readOnly: true,
  execute: async ({ city, days = 1 }) => `${days} days of rain in ${city}`
})

describe("a tool by JSON Schema", () => {
  it("is told to the model as it is written, closed", () => {
    const { input_schema } = Catalog.make([toolOf(weather)]).define(toolOf(weather))
    assert.deepInclude(input_schema, { type: "object", required: ["city"], additionalProperties: false })
    assert.deepInclude((input_schema["properties"] as Record<string, object>)["city"], {
      type: "string",
      description: "A city"
    })
  })

  it("runs with arguments that fit, and names what does not", async () => {
    assert.strictEqual(await answer(weather, { city: "Bergen", days: 2 }), "2 days of rain in Bergen")
    assert.include(await answer(weather, { days: 2 }), "city is missing")
    assert.include(await answer(weather, { city: "Bergen", days: 0 }), "days")
  })

  it("is refused where the schema says what cannot be checked, or the name cannot be offered", () => {
    const execute = async () => ""
    const bad = { properties: { a: { contains: { type: "string" }, type: "array" } } }
    for (const definition of [
      { name: "a", parameters: bad },
      { name: "no name", parameters: {} }
    ]) {
      try {
        defineTool({ description: "", execute, ...definition })
        assert.fail("it was made")
      } catch (cause) {
        assert.isTrue(cause instanceof InvalidTool, String(cause))
      }
    }
  })
})

describe("a tool by Standard Schema", () => {
  const schema: StandardSchema<{ readonly n: number }> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: async (value) => {
        const { n } = value as { readonly n: number }
        return n % 2 === 0 ? { value: { n: n / 2 } } : { issues: [{ message: "n must be even" }] }
      },
      jsonSchema: { input: () => ({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }) }
    }
  }
  const half = defineTool({ name: "half", description: "Half", parameters: schema, execute: async ({ n }) => `${n}` })

  it("gets what the schema makes of the arguments, and tells what it finds wrong", async () => {
    assert.strictEqual(await answer(half, { n: 8 }), "4")
    assert.strictEqual(await answer(half, { n: 3 }), "half failed: Invalid arguments: n must be even.")
  })
})

describe("a tool of the program", () => {
  const touch = defineTool<{ readonly file: string }>({
    name: "touch",
    description: "Touch",
    parameters: { properties: { file: { type: "string" } }, required: ["file"] },
    paths: ({ file }) => [{ path: file, access: "write" }],
    execute: async () => {
      throw new Error("the disk is full")
    }
  })

  it("is judged by its name, and by each file that it names", async () => {
    assert.strictEqual(await answer(touch, { file: "a.txt" }, { approvals: Approvals.edits }), "ask tools")
    assert.strictEqual(await answer(touch, { file: "package.json" }), "ask path.protected")
    assert.strictEqual(await answer(touch, { file: "/etc/passwd" }), "ask path.outside")
  })

  it("ends in an error for the model when it throws", async () => {
    assert.strictEqual(await answer(touch, { file: "a.txt" }), "touch failed: the disk is full")
  })
})
