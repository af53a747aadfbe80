import { Catalog, type Tool, ToolCatalog } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { bare, change, show } from "./fixtures/Tools.ts"
import * as WorkspaceTools from "../src/workspace.ts"
import * as Workspace from "./workspace/fixtures/Workspace.ts"

const catalog = Catalog.make([show, change, bare, ...Workspace.all])

const problemOf = (...tools: ReadonlyArray<Tool.Tool>): string => {
  try {
    Catalog.make(tools)
  } catch (error) {
    if (error instanceof Catalog.InvalidTool) return error.message
    throw error
  }
  return "none"
}

/** Every object schema at any depth. */
const objects = (schema: unknown): ReadonlyArray<Record<string, unknown>> => {
  if (typeof schema !== "object" || schema === null) return []
  const own = schema as Record<string, unknown>
  const inner = Object.values(own).flatMap(objects)
  return own["type"] === "object" ? [own, ...inner] : inner
}

describe("make", () => {
  it("refuses a second tool of a name, which could shadow the first", () => {
    assert.strictEqual(
      problemOf(show, { ...change, name: "show" }),
      "The tool 'show' cannot be offered: another tool has this name."
    )
    assert.strictEqual(problemOf(show, change), "none")
  })

  it("refuses names and parameters that a model service would refuse", () => {
    for (const name of ["", "a b", "a.b", "ä", "a".repeat(65)])
      assert.include(problemOf({ ...show, name }), "a name has")
    const Text = Schema.Struct({ text: Schema.String })
    class Named extends Schema.Class<Named>("Named")({ text: Schema.String }) {}
    for (const parameters of [Schema.String, Schema.Union([Text, bare.parameters]), Named, Schema.Struct({ Named })]) {
      assert.include(problemOf({ ...bare, parameters: parameters as Tool.Tool["parameters"] }), "written inline")
    }
    const parameters = Schema.Struct({ task_progress: Schema.String })
    assert.include(problemOf({ ...bare, parameters }), "every tool has task_progress already")
  })

  it.effect("as a layer dies with what is wrong", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provide(ToolCatalog, ToolCatalog.layer([show, show])))
      assert.isTrue(Exit.hasDies(exit))
    })
  )

  it("keeps the tools in order, whatever happens to the array", () => {
    const tools: Array<Tool.Tool> = [show, change]
    const made = Catalog.make(tools)
    tools.unshift(bare)
    assert.deepStrictEqual(made.tools, [show, change])
    assert.strictEqual(made.get("change"), change)
    assert.isUndefined(made.get("bare"))
    assert.isUndefined(made.get("constructor"))
  })
})

describe("define", () => {
  it("gives the same object for the same tool each time", () => {
    for (const tool of catalog.tools) assert.strictEqual(catalog.define(tool), catalog.define(tool))
  })

  it("never gives a tool the definition of another one of its name", () => {
    assert.strictEqual(catalog.define({ ...show, description: "other" }).description, "other")
    assert.strictEqual(catalog.define(show).description, "Show a file")
  })

  it("adds an optional task_progress to every schema and keeps the tool's own parameters", () => {
    for (const tool of catalog.tools) {
      const { properties, required, type } = catalog.define(tool).input_schema
      assert.strictEqual(type, "object")
      assert.deepStrictEqual((properties as Record<string, unknown>)["task_progress"], { type: "string" })
      assert.notInclude((required ?? []) as ReadonlyArray<string>, "task_progress")
    }
    assert.deepStrictEqual(catalog.define(show).input_schema, {
      type: "object",
      properties: {
        path: { type: "string" },
        limit: { type: "integer" },
        options: {
          type: "object",
          properties: { b: { type: "string" }, a: { type: "string" } },
          required: ["b", "a"],
          additionalProperties: false
        },
        task_progress: { type: "string" }
      },
      required: ["path"],
      additionalProperties: false
    })
    assert.deepStrictEqual(catalog.define(bare).input_schema, {
      type: "object",
      properties: { task_progress: { type: "string" } },
      additionalProperties: false
    })
  })

  it("tells limits of whole numbers only where a tool has them, at any depth", () => {
    const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))
    const tool = { ...bare, parameters: Schema.Struct({ of: Schema.Struct({ any: Schema.Natural, few: Count }) }) }
    const { properties } = catalog.define(tool as never).input_schema as any
    assert.deepStrictEqual(properties.of.properties, {
      any: { type: "integer", minimum: 0 },
      few: { type: "integer", minimum: 1, maximum: 9 }
    })
  })

  it("allows no further property, at any depth", () => {
    const found = catalog.tools.flatMap((tool) => objects(catalog.define(tool).input_schema))
    assert.isAbove(found.length, catalog.tools.length)
    for (const schema of found) assert.strictEqual(schema["additionalProperties"], false)
  })

  it("tells a model of all workspace tools in at most 5,500 characters", () => {
    const { CommandRunner, make, OutputStore } = WorkspaceTools
    const runner = CommandRunner.make({ outputs: OutputStore.make({ directory: "/nowhere" }) })
    const { define, tools } = Catalog.make(make({ runner }))
    assert.strictEqual(tools.length, 10)
    assert.isAtMost(JSON.stringify(tools.map(define)).length, 5500)
  })
})
