/** Amazon Bedrock and Google Vertex AI: what the clouds check of a request, and what comes of their answers. */
import { ModelClient } from "@belay/model-client"
import * as Bedrock from "@belay/model-client/bedrock"
import * as Vertex from "@belay/model-client/vertex"
import { Clouds, ScriptedServer } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { fileURLToPath } from "node:url"
import { afterEach, vi } from "vitest"
import { errorOf, finishedOf, request, run } from "./harness.ts"

const model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"

const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG", region: "eu-west-1" }

const signing = { accessKeyId: keys.accessKeyId, secretAccessKey: Redacted.make(keys.secretAccessKey) }

const answers = [
  {
    match: {},
    shared: true,
    answers: [
      {
        content: [
          { type: "text" as const, text: "Grüße, as asked." },
          { type: "tool_use" as const, name: "read_file", input: { path: "a b.txt" } }
        ]
      }
    ]
  }
]

const scripted = ScriptedServer.start({ tasks: answers })

const closing = (cloud: Promise<Clouds.Cloud>) =>
  Effect.acquireRelease(
    Effect.promise(() => cloud),
    (one) => Effect.promise(() => one.close())
  )

const clientOf = (layer: Layer.Layer<ModelClient.ModelClient>) =>
  Effect.provide(Effect.service(ModelClient.ModelClient), layer)

/** What the answer says, in one list. */
const contentOf = (outcome: Parameters<typeof finishedOf>[0]) =>
  finishedOf(outcome).message.content.map((block) => (block.type === "text" ? block.text : block.type))

const bounds = { maxRetries: 0, firstByteSeconds: 1_000_000 }

describe("Amazon Bedrock", () => {
  it.live("gets requests whose signature it can recompute, and its framed events are an answer like any other", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      const cloud = yield* closing(Clouds.bedrock(server.url, { ...keys, sessionToken: "session-1" }))
      const credentials = { ...signing, sessionToken: Redacted.make("session-1") }
      const options = { ...bounds, region: keys.region, baseUrl: cloud.url, credentials }
      const client = yield* clientOf(Bedrock.layer(options))
      const thinking = { type: "budget", tokens: 2048 } as const
      const outcome = yield* run(client, request({ model, thinking, maxTokens: 8192 }))
      assert.deepStrictEqual(contentOf(outcome), ["Grüße, as asked.", "tool_use"], JSON.stringify(cloud.requests))
      assert.deepStrictEqual(
        cloud.requests.map(({ refused }) => refused),
        [undefined]
      )
      const [sent] = server.requests
      assert.deepInclude(sent?.body, { model, max_tokens: 8192 })
      assert.deepStrictEqual(sent?.body.anthropic_beta, ["interleaved-thinking-2025-05-14"])
      assert.deepStrictEqual(sent?.body.tools[0].cache_control, { type: "ephemeral" })
      assert.deepStrictEqual(yield* client.countTokens(request({ model })), Option.none())
      assert.strictEqual(client.service({ model }), new URL(cloud.url).host)
    })
  )

  it.live("refuses what another key has signed, and that is one line without the key", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      const cloud = yield* closing(Clouds.bedrock(server.url, keys))
      const credentials = { ...signing, secretAccessKey: Redacted.make("another-secret-key") }
      const client = yield* clientOf(Bedrock.layer({ ...bounds, region: keys.region, baseUrl: cloud.url, credentials }))
      const { message } = errorOf(yield* run(client, request({ model })))
      assert.match(message, /^the key may not do this \(403, 127\.0\.0\.1:\d+\): .*the signature is another one/)
      assert.notInclude(message, "another-secret-key")
      assert.lengthOf(server.requests, 0)
    })
  )

  it.live("takes a key of its own instead of a signature", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      const cloud = yield* closing(Clouds.bedrock(server.url, { apiKey: "bedrock-api-key-1" }))
      const apiKey = Redacted.make("bedrock-api-key-1")
      const client = yield* clientOf(Bedrock.layer({ ...bounds, region: keys.region, baseUrl: cloud.url, apiKey }))
      assert.lengthOf(contentOf(yield* run(client, request({ model }))), 2, JSON.stringify(cloud.requests))
    })
  )
})

describe("Google Vertex AI", () => {
  it.live("gets the given token, counts tokens, and its answers are answers like any other", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      const cloud = yield* closing(Clouds.vertex(server.url, "ya29.token-1", "project-1"))
      const given = { region: "europe-west1", project: "project-1", accessToken: Redacted.make("ya29.token-1") }
      const client = yield* clientOf(Vertex.layer({ ...bounds, ...given, baseUrl: `${cloud.url}/v1` }))
      const asked = request({ model: "claude-sonnet-4-5@20250929" })
      assert.deepStrictEqual(contentOf(yield* run(client, asked)), ["Grüße, as asked.", "tool_use"])
      assert.isTrue(Option.isSome(yield* client.countTokens(asked)))
      assert.strictEqual(server.requests[0]?.body.model, "claude-sonnet-4-5@20250929")
      const [first] = cloud.requests
      assert.include(first?.path, "/v1/projects/project-1/locations/europe-west1/publishers/anthropic/models/")
      const other = { ...given, accessToken: Redacted.make("ya29.other") }
      const refused = yield* clientOf(Vertex.layer({ ...bounds, ...other, baseUrl: `${cloud.url}/v1` }))
      const { message } = errorOf(yield* run(refused, asked))
      assert.match(message, /^the service refused the key \(401/)
      assert.notInclude(message, "ya29")
    })
  )
})

/** A file where settings would be in a folder: nothing is found there, and no program of a cloud can write there. */
const nowhere = fileURLToPath(new URL("./harness.ts/nowhere", import.meta.url))

/** As a machine without anything of a cloud but what is said here. */
const machine = (env: Readonly<Record<string, string>>) => {
  const closed = {
    AWS_ACCESS_KEY_ID: "",
    AWS_SECRET_ACCESS_KEY: "",
    AWS_PROFILE: "",
    AWS_CONFIG_FILE: nowhere,
    AWS_SHARED_CREDENTIALS_FILE: nowhere,
    AWS_EC2_METADATA_DISABLED: "true",
    GOOGLE_APPLICATION_CREDENTIALS: "",
    CLOUDSDK_CONFIG: nowhere
  }
  for (const [name, value] of Object.entries({ ...closed, ...env })) vi.stubEnv(name, value)
}

describe("credentials that nobody gave", () => {
  afterEach(() => vi.unstubAllEnvs())

  it.live(
    "are found as the tools of the cloud find them: here in the environment, and at the machine's own server",
    () =>
      Effect.gen(function* () {
        const server = yield* scripted
        const aws = yield* closing(Clouds.bedrock(server.url, keys))
        machine({ AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey })
        const bedrock = yield* clientOf(Bedrock.layer({ ...bounds, region: keys.region, baseUrl: aws.url }))
        assert.lengthOf(contentOf(yield* run(bedrock, request({ model }))), 2)
        const google = yield* closing(Clouds.vertex(server.url, "ya29.machine", "project-2"))
        machine({ GCE_METADATA_HOST: new URL(google.url).host, GOOGLE_CLOUD_PROJECT: "project-2" })
        const vertex = yield* clientOf(
          Vertex.layer({ ...bounds, region: "global", project: "project-2", baseUrl: `${google.url}/v1` })
        )
        assert.lengthOf(
          contentOf(yield* run(vertex, request({ model: "claude-opus-4-6" }))),
          2,
          JSON.stringify(google.requests)
        )
      })
  )

  it.live("and that are nowhere are one line with what to set, and nothing is repeated", () =>
    Effect.gen(function* () {
      machine({})
      const client = yield* clientOf(Bedrock.layer({ region: "eu-west-1", firstByteSeconds: 1_000_000 }))
      const { events, ...outcome } = yield* run(client, request({ model }))
      assert.deepStrictEqual(events, [])
      assert.strictEqual(
        errorOf({ ...outcome, events }).message,
        "there is no key for Amazon Bedrock (eu-west-1). Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or AWS_BEARER_TOKEN_BEDROCK."
      )
    })
  )
})

describe("a package that is not there", () => {
  it.live("is one line with how to install it, and nothing is repeated", () =>
    Effect.gen(function* () {
      let loads = 0
      const load = () => {
        loads += 1
        const cause = new Error("Cannot find package '@anthropic-ai/bedrock-sdk' imported from here")
        return Promise.reject(Object.assign(cause, { code: "ERR_MODULE_NOT_FOUND" }))
      }
      const client = yield* clientOf(Bedrock.layer({ region: "us-east-1", load }))
      const { message } = errorOf(yield* run(client, request({ model })))
      assert.strictEqual(
        message,
        "the package @anthropic-ai/bedrock-sdk is not installed (bedrock-runtime.us-east-1.amazonaws.com). Install it: npm install @anthropic-ai/bedrock-sdk"
      )
      assert.strictEqual(loads, 1)
    })
  )
})
