import { ScriptedServer } from "@belay/testkit"
import * as Effect from "effect/Effect"
import { assert, describe, expect, it } from "vitest"
import { belay, folder } from "./support/cli.ts"

interface Tool {
  readonly name: string
  readonly description: string
  readonly input_schema: { readonly properties?: Record<string, any>; readonly required?: ReadonlyArray<string> }
}

const typeOf = (of: any): string => {
  if (of.enum !== undefined) return of.enum.map((value: unknown) => JSON.stringify(value)).join(" | ")
  if (of.type === "array") return `[${typeOf(of.items)}]`
  if (of.type !== "object") return String(of.type ?? "any")
  const fields = Object.entries<any>(of.properties ?? {})
  return fields.length === 0
    ? "{ any: any }"
    : `{ ${fields.map(([name, field]) => `${name}${(of.required ?? []).includes(name) ? "" : "?"}: ${typeOf(field)}`).join(", ")} }`
}

/** A tool as a person reads it. */
const told = ({ description, input_schema: { properties = {}, required = [] }, name }: Tool): string =>
  [
    `## ${name}`,
    "",
    description,
    ...Object.entries(properties).map(
      ([field, of]) =>
        `- ${field}${required.includes(field) ? "" : "?"}: ${typeOf(of)}${of.description === undefined ? "" : `  ${of.description}`}`
    )
  ].join("\n")

/** What the model is told before the conversation, by the command as it is built. */
const texts = async (mode: string) => {
  const server = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const served = yield* ScriptedServer.start({
          tasks: [],
          fallback: { content: [{ type: "tool_use", name: "ask_followup_question", input: { question: "?" } }] }
        })
        const env = { ANTHROPIC_BASE_URL: served.url, BELAY_HOME: folder() }
        const ran = yield* Effect.promise(() => belay(["run", "hello", "--mode", mode, "--cwd", folder()], env))
        assert.strictEqual(ran.code, 3, ran.stderr.join("\n"))
        return served
      })
    )
  )
  const { system, tools } = server.requests.at(0)?.body ?? {}
  const bare = JSON.parse(
    JSON.stringify({ system, tools }, (key, value) => (key === "cache_control" ? undefined : value))
  )
  return {
    text: `${bare.system.map((block: { text: string }) => block.text).join("\n\n")}\n\n# Tools\n\n${bare.tools.map(told).join("\n\n")}\n`,
    characters: JSON.stringify(bare.system).length + JSON.stringify(bare.tools).length
  }
}

describe("what the model is told", () => {
  it.each(["act", "plan"])(
    "in %s mode is what was read and agreed on, the same as in the other, in at most 13,200 characters of JSON",
    async (mode) => {
      const { characters, text } = await texts(mode)
      process.stdout.write(`system and tools, ${mode}: ${characters} characters\n`)
      await expect(text).toMatchFileSnapshot("fixtures/texts/told.md")
      assert.isAtMost(characters, 13_200)
    }
  )
})
