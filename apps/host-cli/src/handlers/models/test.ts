/**
 * `belay models test`: asks a model six small things and says what works; runs hold to what was found.
 *
 * Exit 0 when it streams and calls tools, which is what a task needs; 4 when the service cannot be asked.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import { ModelClient, ModelTable, Proxies } from "@belay/model-client"
import { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError } from "../../cli/Failure.ts"
import * as Key from "../../settings/Key.ts"
import type { Sink } from "../../output/Sink.ts"
import { redaction } from "../../output/Redaction.ts"
import * as User from "../../settings/User.ts"

const inWords = {
  stream: "an answer, streamed",
  tool: "a call of a tool",
  parallel: "two calls in one answer",
  toolError: "going on after a call that failed",
  image: "an image",
  count: "counting tokens"
} as const

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const model = ModelTable.resolve(parsed.args[0] ?? "")
    const mode = (text(parsed, "mode") ?? "act") as Key.Mode
    const isJson = text(parsed, "output") === "json"
    const ways = yield* Key.ways(mode, (yield* User.load).model)
    const { access, server } = ways[mode]
    const [Probes, Reach, Redacting, file] = yield* Effect.promise(() =>
      Promise.all([
        import("@belay/model-client/probes"),
        import("@belay/model-client/reach"),
        import("@belay/task-engine/unstable/redacting"),
        import("@belay/settings/models-file")
      ])
    )
    const directory = DataFolder.directory()
    const { env } = process
    const found = yield* Effect.fromResult(access)
    const way = { ...found, server, directory, env, proxies: Proxies.ofEnvironment(env) }
    const layer = Redacting.model(redaction, Reach.layer(way))
    const taskId = yield* TaskId.make
    const probed = yield* Effect.gen(function* () {
      const client = yield* ModelClient.ModelClient
      return yield* Probes.run({ client, model, mode, taskId }, ({ probe, why, works }) =>
        Effect.sync(() => {
          if (isJson) return
          sink.out(works ? `works     ${inWords[probe]}\n` : `does not  ${inWords[probe]}: ${why ?? ""}\n`)
        })
      )
    }).pipe(Effect.provide(layer), Effect.mapError(fromError))
    const works = Object.fromEntries(probed.map((one) => [one.probe, one.works]))
    yield* file.keep(directory, { service: server.host, model, at: yield* Clock.currentTimeMillis, works })
    if (isJson) sink.data(`${JSON.stringify({ model, service: server.host, probes: probed })}\n`)
    else sink.err(`Kept for ${model} at ${server.host} (${file.file(directory)}).\n`)
    return works["stream"] === true && works["tool"] === true ? 0 : 1
  })
