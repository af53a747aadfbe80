/** Services by their names: what a run asks where, what is said of it, and what of a cloud has to be installed first. */
import { Clouds, ScriptedServer } from "@belay/testkit"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { belay, type Environment, folder } from "./support/cli.ts"

const without = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined, ANTHROPIC_BASE_URL: undefined }

const done = { content: [{ type: "tool_use" as const, name: "attempt_completion", input: { result: "Done." } }] }

const home = (model: object): Environment & { readonly BELAY_HOME: string } => {
  const made = folder()
  writeFileSync(path.join(made, "settings.json"), JSON.stringify({ model }))
  return { ...without, BELAY_HOME: made }
}

let server: ScriptedServer.ScriptedServer
let cloud: Clouds.Cloud

const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret-access-key-1", region: "eu-west-1" }

beforeAll(async () => {
  const tasks = [{ match: { prompt: "Work" }, shared: true, answers: [done] }]
  server = await ScriptedServer.startServer({ dialect: "ollama", tasks })
  cloud = await Clouds.bedrock(server.url, keys)
})
afterAll(() => Promise.all([server.close(), cloud.close()]))

describe("a service by its name", () => {
  it("of one's own runs without a key; models and doctor say what is asked where", async () => {
    const env = home({ service: "ollama", baseUrl: server.url, act: "qwen3-coder" })
    const at = `Ollama (127.0.0.1:${server.port})`
    const ran = await belay(["run", "Work"], env, folder())
    assert.deepStrictEqual([ran.code, ran.stdout], [0, ["Done."]], ran.stderr.join("\n"))
    const { headers } = server.requests[0] ?? { headers: {} }
    assert.notProperty(headers, "x-api-key")
    assert.notProperty(headers, "authorization")
    assert.isEmpty(server.requests.filter((one) => one.path.endsWith("count_tokens")))
    const models = await belay(["models", "--plain"], env)
    assert.deepStrictEqual(models.stderr.at(-1), `Plan and act ask qwen3-coder at ${at}, without a key of yours.`)
    const doctor = await belay(["doctor", "--output", "json"], env)
    const found = JSON.parse(doctor.stdout.join("")).findings.map(({ found }: { readonly found: string }) => found)
    assert.include(found, `none for ${at}, which needs none unless it was set up to`)
    assert.include(found, `${at} answers`)
  })

  it("that nobody knows is one line with the names, wherever it is said", async () => {
    const names = "openrouter, ollama, lmstudio, llama.cpp, vllm, deepseek, kimi, glm, litellm, bedrock, vertex."
    const env = { ...without, BELAY_HOME: folder(), BELAY_PLAN_SERVICE: "olama" }
    const ran = await belay(["run", "Work"], env)
    assert.deepStrictEqual([ran.code, ran.stderr], [2, [`belay: there is no service "olama". Services: ${names}`]])
    const set = await belay(["config", "set", "model.plan.service", "olama"], { ...env, BELAY_PLAN_SERVICE: undefined })
    assert.strictEqual(set.code, 2)
    assert.include(set.stderr.join(""), `expected one of ${names.slice(0, -1)}`)
  })

  it("needs the key of its makers, and says which", async () => {
    const env = { ...without, BELAY_HOME: folder(), BELAY_SERVICE: "openrouter" }
    const ran = await belay(["run", "Work"], env)
    assert.deepStrictEqual(
      [ran.code, ran.stderr],
      [4, ['belay: no key for openrouter.ai. Run "belay auth --service openrouter", or set OPENROUTER_API_KEY.']]
    )
    const { used } = JSON.parse(
      (await belay(["models", "--output", "json"], { ...env, OPENROUTER_API_KEY: "sk-or-1" })).stdout.join("")
    )
    assert.deepInclude(used[0], { service: "openrouter", host: "openrouter.ai", key: "OPENROUTER_API_KEY" })
  })

  it("is not chosen by a project", async () => {
    const env = { ...without, BELAY_HOME: folder() }
    const cwd = folder()
    mkdirSync(path.join(cwd, ".belay"))
    writeFileSync(path.join(cwd, ".belay", "settings.json"), JSON.stringify({ model: { service: "ollama" } }))
    assert.strictEqual((await belay(["trust", "--yes", "--cwd", cwd], env, cwd)).code, 0)
    const ran = await belay(["run", "Work"], env, cwd)
    assert.match(ran.stderr.join("\n"), /a project may not set model\.service /)
  })
})

describe("a cloud", () => {
  it("is one line with what to install where its package is missing, and a signed run once it is there", async () => {
    const aws = {
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_REGION: keys.region,
      AWS_BEARER_TOKEN_BEDROCK: undefined,
      AWS_SESSION_TOKEN: undefined,
      NODE_PATH: undefined
    }
    const env = { ...home({ service: "bedrock", baseUrl: cloud.url, act: "anthropic.claude-sonnet-4-5" }), ...aws }
    const cwd = folder()
    const missing = await belay(["run", "Work"], env, cwd)
    const install = `npm install --prefix "${env.BELAY_HOME}" @anthropic-ai/bedrock-sdk`
    assert.deepStrictEqual(
      [missing.code, missing.stderr],
      [
        4,
        [
          `belay: the package @anthropic-ai/bedrock-sdk is not installed, which Amazon Bedrock needs. Install it: ${install}`
        ]
      ]
    )
    const modules = path.join(env.BELAY_HOME, "node_modules", "@anthropic-ai")
    mkdirSync(modules, { recursive: true })
    const own = path.join(import.meta.dirname, "../../../packages/model-client/node_modules/@anthropic-ai/bedrock-sdk")
    symlinkSync(own, path.join(modules, "bedrock-sdk"), "junction")
    const ran = await belay(["run", "Work"], env, cwd)
    assert.deepStrictEqual([ran.code, ran.stdout], [0, ["Done."]], ran.stderr.join("\n"))
    assert.deepStrictEqual(
      cloud.requests.map(({ path: at, refused }) => [decodeURIComponent(at), refused]),
      [["/model/anthropic.claude-sonnet-4-5/invoke-with-response-stream", undefined]]
    )
  })
})
