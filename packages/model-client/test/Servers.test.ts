/** Services by name: where each is, which key it gets in which header, and that no other server gets it. */
import { ModelClient } from "@belay/model-client"
import * as Servers from "@belay/model-client/servers"
import * as Services from "@belay/model-client/services"
import * as Reach from "@belay/model-client/reach"
import { ScriptedServer } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { finishedOf, KEY, request, run } from "./harness.ts"

const served = (said: Servers.Said, env = {}): Servers.Server => {
  const found = Servers.server(said, "settings", env)
  if (!Servers.isServer(found)) throw new Error(JSON.stringify(found))
  return found
}

/** The secrets of what is sent, by header, and where they were found. */
const keysTo = (said: Servers.Said, env: Record<string, string>, mode?: Servers.Mode) => {
  const found = Servers.given({ ...served(said, env), ...(mode === undefined ? {} : { mode }) }, env)
  return (
    found && [
      found.from,
      found.apiKey === undefined ? undefined : Redacted.value(found.apiKey),
      found.authToken === undefined ? undefined : Redacted.value(found.authToken)
    ]
  )
}

describe("the services", () => {
  it("are each a name, an address or a region, a key and a page that says so", () => {
    for (const service of Services.services) {
      assert.match(Services.urlOf(service, {}), /^https?:\/\/[^/]+/, service.name)
      assert.match(service.source, /^https:\/\//, service.name)
      assert.match(service.date, /^\d{4}-\d\d-\d\d$/, service.name)
      assert.isFalse(Services.urlOf(service, {}).endsWith("/"), service.name)
    }
    assert.lengthOf(new Set(Services.names), Services.names.length)
  })

  it("of a cloud are where their region is", () => {
    const host = (service: string, env: Record<string, string>) => served({ service }, env).host
    assert.strictEqual(host("bedrock", {}), "bedrock-runtime.us-east-1.amazonaws.com")
    assert.strictEqual(host("bedrock", { AWS_REGION: "eu-west-1" }), "bedrock-runtime.eu-west-1.amazonaws.com")
    assert.strictEqual(host("vertex", {}), "aiplatform.googleapis.com")
    assert.strictEqual(host("vertex", { CLOUD_ML_REGION: "europe-west1" }), "europe-west1-aiplatform.googleapis.com")
  })

  it("that nobody knows are told apart from what is no URL", () => {
    assert.deepStrictEqual(Servers.server({ service: "olama" }, "settings", {}), { service: "olama" })
    assert.deepStrictEqual(Servers.server({ baseUrl: "ollama" }, "settings", {}), { baseUrl: "ollama" })
    for (const name of Services.names) assert.include(Servers.choices, name)
  })
})

describe("a key of the environment", () => {
  const makers = { OPENROUTER_API_KEY: "sk-or-1", DEEPSEEK_API_KEY: "sk-ds-1", LITELLM_API_KEY: "sk-ll-1" }
  const all = { ...makers, ANTHROPIC_API_KEY: "sk-ant-1" }

  it("goes to its makers in their header, and to a service of one's own wherever that is", () => {
    assert.deepStrictEqual(keysTo({ service: "openrouter" }, all), ["OPENROUTER_API_KEY", undefined, "sk-or-1"])
    assert.deepStrictEqual(keysTo({ service: "deepseek" }, all), ["DEEPSEEK_API_KEY", "sk-ds-1", undefined])
    const gateway = { service: "litellm", baseUrl: "https://models.example" }
    assert.deepStrictEqual(keysTo(gateway, all), ["LITELLM_API_KEY", undefined, "sk-ll-1"])
  })

  it("goes nowhere else: not to another address under the name, and no other key to a service", () => {
    assert.isUndefined(keysTo({ service: "openrouter", baseUrl: "https://elsewhere.example" }, all))
    assert.isUndefined(keysTo({ service: "kimi" }, all))
    assert.isUndefined(keysTo({ service: "ollama" }, all))
    assert.isUndefined(keysTo({ baseUrl: "https://elsewhere.example" }, all))
    assert.deepStrictEqual(keysTo({ baseUrl: "https://api.anthropic.com" }, all), [
      "ANTHROPIC_API_KEY",
      "sk-ant-1",
      undefined
    ])
  })

  it("of one mode goes to the server that is named beside it, before all others", () => {
    const env = { ...all, BELAY_PLAN_SERVICE: "openrouter", BELAY_PLAN_API_KEY: "sk-or-plan" }
    assert.deepStrictEqual(keysTo({ service: "openrouter" }, env, "plan"), [
      "BELAY_PLAN_API_KEY",
      undefined,
      "sk-or-plan"
    ])
    assert.isUndefined(keysTo({ service: "kimi" }, env, "plan"))
    assert.deepStrictEqual(keysTo({ service: "openrouter" }, env, "act"), ["OPENROUTER_API_KEY", undefined, "sk-or-1"])
  })

  it("that is said beside ANTHROPIC_BASE_URL stays there when BELAY_SERVICE names a service", () => {
    const env = { BELAY_SERVICE: "openrouter", ANTHROPIC_BASE_URL: "https://g.example", ANTHROPIC_AUTH_TOKEN: "t" }
    assert.deepStrictEqual(Servers.saidBy(env), { service: "openrouter", baseUrl: undefined })
    assert.isUndefined(keysTo({ service: "openrouter" }, env))
    assert.deepStrictEqual(keysTo({ baseUrl: "https://g.example" }, env), ["ANTHROPIC_AUTH_TOKEN", undefined, "t"])
  })
})

describe("each service in its dialect", () => {
  it.live("gets its key as it takes it, is asked to count only where it can, and answers", () =>
    Effect.gen(function* () {
      for (const dialect of ["ollama", "openrouter", "llama.cpp", "deepseek", "litellm"] as const) {
        const content = [{ type: "tool_use" as const, name: "read_file", input: { path: "a.txt" } }]
        const tasks = [{ match: {}, shared: true, answers: [{ content }] }]
        const needsKey = dialect === "openrouter" || dialect === "deepseek"
        const scripted = yield* ScriptedServer.start({ dialect, tasks, ...(needsKey ? { apiKey: KEY } : {}) })
        const server = served({ service: dialect, baseUrl: scripted.url })
        const keys = needsKey ? Servers.fitted(server, { apiKey: Redacted.make(KEY) }) : {}
        const way = { ...keys, server, directory: "/nowhere", env: {}, firstByteSeconds: 1_000_000 }
        const client = yield* Effect.provide(Effect.service(ModelClient.ModelClient), Reach.layer(way))
        const finished = finishedOf(yield* run(client, request({ model: "m-1" })))
        assert.deepStrictEqual(
          finished.message.content.map((block) => (block.type === "tool_use" ? block.input : block.type)),
          [{ path: "a.txt" }],
          dialect
        )
        yield* Effect.map(client.countTokens(request()), (tokens) => {
          // The scripted gateway has none, though the real one has: that is no error either.
          assert.strictEqual(Option.isSome(tokens), dialect === "llama.cpp", dialect)
        })
        const counts = scripted.requests.filter(({ path }) => path.endsWith("count_tokens"))
        assert.lengthOf(counts, dialect === "llama.cpp" || dialect === "litellm" ? 1 : 0, dialect)
        const { headers } = scripted.requests[0] ?? { headers: {} }
        const header = dialect === "deepseek" ? "x-api-key" : "authorization"
        assert.strictEqual(Object.hasOwn(headers, header), needsKey, dialect)
        assert.strictEqual(client.service({ model: "m-1" }), `127.0.0.1:${scripted.port}`)
      }
    })
  )
})
