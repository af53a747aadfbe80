/**
 * What a model can do, found out by asking it six small things: to stream, to call a tool, two at once, to go on after one
 * that failed, to look at an image, and to count tokens.
 *
 * A probe that the service refuses, or that the model answers otherwise, does not work; it says why in one line. No answer
 * at all, or a key that is refused, fails: then nothing was found out.
 */
import { Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ModelClient } from "./ModelClient.ts"
import type { ModelError } from "./ModelError.ts"
import type { Finished } from "./ModelEvent.ts"
import type { ModelRequest } from "./ModelRequest.ts"

/** Lists the probes in the order in which they run. */
export const names = ["stream", "tool", "parallel", "toolError", "image", "count"] as const

/** Names a probe. */
export type Name = (typeof names)[number]

/** Reports one probe. */
export interface Found {
  readonly probe: Name
  readonly works: boolean
  /** What came instead, in one line. */
  readonly why?: string
}

/** Says which model is tested, and through which client. */
export interface Options {
  readonly client: ModelClient["Service"]
  readonly model: string
  readonly mode: "plan" | "act"
  /** Requests have the id of a task; this one is of none. */
  readonly taskId: TaskId.TaskId
}

const look = {
  name: "look",
  description: "Looks at a place and says what is there.",
  input_schema: {
    type: "object",
    properties: { place: { type: "string", description: "The place" } },
    required: ["place"]
  }
}

const system = [Message.text("You are being tested. Do exactly what is asked, in as few words as possible.")]

const say = (words: string): Message.Message => Message.user(Message.text(words))

/** 16 by 16 pixels of red. */
const red =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg=="

const callsOf = ({ message, spoiled }: Finished): ReadonlyArray<Message.ToolUseBlock> =>
  Message.toolUses(message).filter(({ id }) => !spoiled.some(({ callId }) => callId === id))

const placesOf = (finished: Finished): ReadonlyArray<unknown> =>
  callsOf(finished).flatMap(({ input, name }) =>
    name === look.name && typeof input === "object" && input !== null ? [Reflect.get(input, "place")] : []
  )

const calls = (count: number): string => (count === 1 ? "1 call" : `${count} calls`)

interface Probe {
  readonly messages: ReadonlyArray<Message.Message>
  /** What came instead of what was asked for; nothing where it works. */
  readonly missing: (finished: Finished, deltas: number) => string | undefined
}

const said = ({ message }: Finished): string => Message.textOf(message).trim()

const probes: { readonly [N in Exclude<Name, "count">]: Probe } = {
  stream: {
    messages: [say("Say the word ready.")],
    missing: (finished, deltas) =>
      said(finished) === "" ? "its answer had no text" : deltas === 0 ? "its answer came in one piece" : undefined
  },
  tool: {
    messages: [say("Call look with the place a.")],
    missing: (finished) =>
      placesOf(finished).includes("a")
        ? undefined
        : `it made ${calls(callsOf(finished).length)}, none of the tool look with the place a`
  },
  parallel: {
    messages: [say("Call look twice in this one answer: with the place a, and with the place b.")],
    missing: (finished) =>
      placesOf(finished).length > 1 ? undefined : `it made ${calls(callsOf(finished).length)} in one answer`
  },
  toolError: {
    messages: [
      say("Call look with the place a, and say what came of it."),
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_probe", name: look.name, input: { place: "a" } }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_probe", content: [Message.text("There is no a.")], is_error: true }
        ]
      }
    ],
    missing: (finished) =>
      said(finished) === "" && callsOf(finished).length === 0 ? "it said nothing about the failure" : undefined
  },
  image: {
    messages: [
      Message.user(
        { type: "image", source: { type: "base64", media_type: "image/png", data: red } },
        Message.text("Which colour is this image? Say one word.")
      )
    ],
    missing: (finished) => (/\bred\b/iu.test(said(finished)) ? undefined : "it did not see that the image is red")
  }
}

/** The service was reached and knows the key: what it says is about the request. */
const isAboutRequest = ({ reason }: ModelError): boolean =>
  reason._tag === "InvalidRequest" || reason._tag === "Malformed" || reason._tag === "ServerFailed"

const refused = (probe: Name) => (error: ModelError) =>
  isAboutRequest(error) ? Effect.succeed<Found>({ probe, works: false, why: error.message }) : Effect.fail(error)

const requestOf = ({ mode, model, taskId }: Options, messages: ReadonlyArray<Message.Message>): ModelRequest => ({
  taskId,
  model,
  mode,
  system,
  tools: [look],
  messages,
  maxTokens: 4096
})

const tried = (options: Options, probe: Exclude<Name, "count">): Effect.Effect<Found, ModelError> =>
  Effect.gen(function* () {
    let deltas = 0
    let finished: Finished | undefined
    yield* Stream.runForEach(options.client.stream(requestOf(options, probes[probe].messages)), (event) =>
      Effect.sync(() => {
        if (event._tag === "TextDelta" || event._tag === "ThinkingDelta") deltas += 1
        if (event._tag === "Finished") finished = event
      })
    )
    if (finished === undefined) return yield* Effect.die("a model stream ended without an answer")
    const why = probes[probe].missing(finished, deltas)
    return why === undefined ? { probe, works: true } : { probe, works: false, why }
  }).pipe(Effect.catch(refused(probe)))

const counted = (options: Options): Effect.Effect<Found, ModelError> =>
  options.client.countTokens(requestOf(options, probes.stream.messages)).pipe(
    Effect.map((tokens): Found => {
      if (Option.isSome(tokens)) return { probe: "count", works: true }
      return { probe: "count", works: false, why: "the service cannot count; it is reckoned instead" }
    }),
    Effect.catch(refused("count"))
  )

/** Makes the six probes one after the other; `told` hears of each. Errors: `ModelError` where nothing can be found out. */
export const run = (
  options: Options,
  told: (found: Found) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<ReadonlyArray<Found>, ModelError> =>
  Effect.forEach(names, (name) => Effect.tap(name === "count" ? counted(options) : tried(options, name), told))
