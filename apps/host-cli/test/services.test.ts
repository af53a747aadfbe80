/** Plan and act with services of their own: which server hears what, and with which key. */
import { ScriptedServer } from "@belay/testkit"
import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { alone as belay, converse, type Environment, folder } from "./support/cli.ts"

const call = (name: string, input: object) => ({ content: [{ type: "tool_use" as const, name, input }] })

const keys = { plan: "sk-plan-4711-key", act: "sk-act-0815-key" }

/** Two servers, each of which knows one key and its own mode's answers; neither answers the other's key. */
const servers = async () => {
  const serve = (apiKey: string, answer: ReturnType<typeof call>) =>
    ScriptedServer.startServer({
      apiKey,
      tasks: [{ match: { prompt: "Work" }, shared: true, answers: [answer, answer] }]
    })
  const plan = await serve(keys.plan, call("plan_mode_respond", { response: "First this." }))
  const act = await serve(keys.act, call("attempt_completion", { result: "Done." }))
  afterAll(() => Promise.all([plan.close(), act.close()]))
  return { plan, act, host: (one: typeof plan) => `127.0.0.1:${one.port}` }
}

const without = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined, ANTHROPIC_BASE_URL: undefined }

const auth = async (mode: "plan" | "act", env: Environment) => {
  const run = converse(["auth", "--mode", mode], env)
  run.write(keys[mode])
  run.endInput()
  return run.exit
}

/** As a server notes a key. */
const noted = (key: string) => `sha256:${createHash("sha256").update(key).digest("hex").slice(0, 8)}`

const keysOf = ({ requests }: ScriptedServer.ScriptedServer) => requests.map(({ headers }) => headers["x-api-key"])

describe("plan and act with different services", () => {
  it("plan at one server and act at the other, each with its own key, as the settings and belay auth say", async () => {
    const { act, host, plan } = await servers()
    const env = { ...without, BELAY_HOME: folder() }
    const cwd = folder()
    for (const [name, value] of [
      ["model.plan", "opus"],
      ["model.plan.baseUrl", plan.url],
      ["model.plan.thinking", "high"],
      // As earlier versions have it.
      ["model.services.act.baseUrl", act.url],
      ["model.act", "claude-haiku-4-5"],
      ["model.thinking", "2000"]
    ] as const) {
      const set = await belay(["config", "set", name, value], env)
      assert.strictEqual(set.code, 0, set.stderr.join("\n"))
    }
    const kept = await auth("plan", env)
    assert.deepStrictEqual(kept.stdout, [
      `Stored the key for plan mode (${host(plan)}) in ${path.join(env.BELAY_HOME, "keys.json")}.`
    ])
    assert.strictEqual((await auth("act", env)).code, 0)
    const planned = await belay(["run", "Work", "--mode", "plan"], env, cwd)
    assert.strictEqual(planned.code, 0, planned.stderr.join("\n"))
    assert.deepStrictEqual([keysOf(plan), keysOf(act)], [[noted(keys.plan)], []])
    const acted = await belay(["task", "resume", "last", "--mode", "act"], env, cwd)
    assert.deepStrictEqual([acted.code, acted.stdout], [0, ["Done."]], acted.stderr.join("\n"))
    assert.deepStrictEqual([keysOf(plan), keysOf(act)], [[noted(keys.plan)], [noted(keys.act)]])
    const thought = ({ requests }: typeof plan) =>
      requests.map(({ body }) => [body.model, body.thinking, body.output_config])
    const adaptive = { type: "adaptive", display: "summarized" }
    assert.deepStrictEqual(thought(plan), [["claude-opus-5-5", adaptive, { effort: "high" }]])
    assert.deepStrictEqual(thought(act), [["claude-haiku-4-5", { type: "enabled", budget_tokens: 2000 }, undefined]])
    const again = await belay(["run", "Work", "--mode", "plan", "--thinking", "low"], env, cwd)
    assert.strictEqual(again.code, 0, again.stderr.join("\n"))
    assert.deepStrictEqual(thought(plan)[1]?.[2], { effort: "low" })
    const refused = await belay(["run", "Work", "--thinking", "loud"], env, cwd)
    assert.deepStrictEqual(refused.stderr, [
      'belay: --thinking cannot be "loud". Use off, low, medium, high, or 1024 tokens or more.'
    ])
  })

  it("the environment says the same, and one mode falls back to what is for both", async () => {
    const { act, plan } = await servers()
    const env = {
      ...without,
      BELAY_HOME: folder(),
      ANTHROPIC_BASE_URL: act.url,
      ANTHROPIC_API_KEY: keys.act,
      BELAY_PLAN_BASE_URL: plan.url,
      BELAY_PLAN_API_KEY: keys.plan
    }
    const cwd = folder()
    assert.strictEqual((await belay(["run", "Work", "--mode", "plan"], env, cwd)).code, 0)
    assert.strictEqual((await belay(["task", "resume", "last", "--mode", "act"], env, cwd)).code, 0)
    assert.deepStrictEqual([keysOf(plan), keysOf(act)], [[noted(keys.plan)], [noted(keys.act)]])
  })

  it("a mode without its key does not begin: one line names it, and the other mode works", async () => {
    const { act, host, plan } = await servers()
    const env = {
      ...without,
      BELAY_HOME: folder(),
      ANTHROPIC_BASE_URL: act.url,
      ANTHROPIC_API_KEY: keys.act,
      BELAY_PLAN_BASE_URL: plan.url
    }
    const cwd = folder()
    const refused = await belay(["run", "Work", "--mode", "plan"], env, cwd)
    assert.deepStrictEqual(
      [refused.code, refused.stderr],
      [4, [`belay: no key for plan mode (${host(plan)}). Run "belay auth --mode plan", or set BELAY_PLAN_API_KEY.`]]
    )
    assert.strictEqual((await belay(["run", "Work"], env, cwd)).code, 0)
    // The key for both belongs to another server: it was not tried.
    assert.deepStrictEqual(keysOf(plan), [])
  })

  it("a switch in the middle to a mode without a key stops with the line that says what to do", async () => {
    const { act, plan } = await servers()
    const env = {
      ...without,
      BELAY_HOME: folder(),
      BELAY_ACT_BASE_URL: act.url,
      BELAY_PLAN_BASE_URL: plan.url,
      BELAY_PLAN_API_KEY: keys.plan
    }
    const cwd = folder()
    assert.strictEqual((await belay(["run", "Work", "--mode", "plan"], env, cwd)).code, 0)
    const acted = await belay(["task", "resume", "last", "--mode", "act"], env, cwd)
    assert.strictEqual(acted.code, 4)
    assert.match(acted.stderr.join("\n"), /no key for act mode .*Run "belay auth --mode act"/)
    assert.deepStrictEqual(keysOf(act), [])
  })

  it("a project chooses no service, also when it is trusted", async () => {
    const { plan } = await servers()
    const env = { ...without, BELAY_HOME: folder(), ANTHROPIC_BASE_URL: plan.url, ANTHROPIC_API_KEY: keys.plan }
    const cwd = folder()
    mkdirSync(path.join(cwd, ".belay"))
    const services = { plan: { baseUrl: "https://elsewhere.example" } }
    writeFileSync(path.join(cwd, ".belay", "settings.json"), JSON.stringify({ model: { services } }))
    assert.strictEqual((await belay(["trust", "--yes", "--cwd", cwd], env, cwd)).code, 0)
    const ran = await belay(["run", "Work", "--mode", "plan"], env, cwd)
    assert.strictEqual(ran.code, 2)
    assert.match(ran.stderr.join("\n"), /a project may not set model\.services/)
    writeFileSync(path.join(cwd, ".belay", "settings.json"), JSON.stringify({ model: { plan: services.plan } }))
    assert.strictEqual((await belay(["trust", "--yes"], env, cwd)).code, 0)
    const again = await belay(["run", "Work"], env, cwd)
    assert.match(again.stderr.join("\n"), /a project may not set model\.plan\.baseUrl/)
  })

  it("asks for no key of a mode that has no server of its own", async () => {
    const { code, stderr } = await auth("plan", { ...without, BELAY_HOME: folder() })
    assert.strictEqual(code, 2)
    assert.match(stderr.join("\n"), /plan mode has no server of its own/)
  })
})
