import { type Scenario, ScriptedServer } from "@belay/testkit"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, expect, it } from "vitest"
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

type Call = readonly [name: string, input: object]

const uses = (...calls: ReadonlyArray<Call>): Scenario.Answer => ({
  content: calls.map(([name, input]) => ({ type: "tool_use", name, input }))
})

const textOf = (block: any): string =>
  block.type === "tool_result"
    ? `> ${block.content.map(({ text }: any) => text).join("\n> ")}`
    : block.type === "tool_use"
      ? `${block.name} ${JSON.stringify(block.input)}`
      : block.text

/** What a model is sent in a run of these answers, but for what differs from machine to machine. */
const conversation = async (answers: ReadonlyArray<Scenario.Answer>, ...flags: ReadonlyArray<string>) => {
  const server = await ScriptedServer.startServer({ tasks: [{ match: { prompt: "Work" }, answers }] })
  afterAll(() => server.close())
  const [home, workspace] = [folder(), folder()]
  const files = {
    "package.json": "{}\n",
    "AGENTS.md": "Be brief.\n",
    "pkg/AGENTS.md": "Tabs, no blanks.\n",
    "pkg/a.ts": "export const a = 1\n"
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true })
    writeFileSync(path.join(workspace, name), text)
  }
  const env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url }
  assert.strictEqual((await belay(["trust", "--yes"], env, workspace)).code, 0)
  await belay(["run", "Work", "--sandbox", "off", ...flags], env, workspace)
  const { messages } = server.requests.at(-1)?.body ?? {}
  return messages
    .map(({ content, role }: any) => `### ${role}\n\n${content.map(textOf).join("\n")}`)
    .join("\n\n")
    .replaceAll(workspace, "/ws")
    .replaceAll(/^Operating system: .*$/gmu, "Operating system: ...")
    .replaceAll(/^Date: .*$/gmu, "Date: ...")
}

describe("what the model reads of its calls", () => {
  it("is what was read and agreed on: rules of folders, and what is refused with what to do instead", async () => {
    const act = await conversation(
      [
        uses(["read_file", { path: "pkg/a.ts" }], ["read_file", { path: "package.json" }]),
        uses(["write_to_file", { path: "package.json", content: "{ }\n" }]),
        uses(["execute_command", { command: "echo x > /tmp/belay-never" }]),
        uses(["execute_command", { command: "echo x > package.json" }]),
        uses(["attempt_completion", { result: "done" }])
      ],
      "--approvals",
      "all"
    )
    const calls = [
      uses(["execute_command", { command: "npm test" }]),
      uses(["execute_command", { command: "cat $(ls)" }]),
      uses(["write_to_file", { path: "a.txt", content: "a" }]),
      uses(["new_task", { message: "a part" }]),
      uses(["attempt_completion", { result: "done" }]),
      uses(["plan_mode_respond", { response: "the plan" }])
    ]
    const plan = await conversation(calls, "--approvals", "all", "--mode", "plan")
    const alone = await conversation(
      [...calls.slice(0, 1), ...calls.slice(2, 3), ...calls.slice(-1)],
      "--mode",
      "plan",
      "--approvals",
      '{"modeSwitch":"deny"}'
    )
    const text = [
      `# In act mode, with all approvals\n\n${act}`,
      `# In plan mode\n\n${plan}`,
      `# In plan mode, where it may not ask for act mode\n\n${alone}`
    ].join("\n\n")
    await expect(`${text}\n`).toMatchFileSnapshot("fixtures/texts/read.md")
  })
})
