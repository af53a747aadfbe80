/**
 * The JSON Schema that the result of a task has to fit: read, told to the model, and held against what it gives.
 *
 * What of a schema cannot be checked here is refused before anything starts, so that a result that fits has been checked
 * against all of it. Each task has one round to correct its result.
 */
import { Message, type Origin, Origins } from "@belay/message-state"
import type { ErrorObject } from "ajv"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

type Check = (value: unknown) => string | undefined

/** What is told of a result that does not fit, at most. */
const most = 10

/** A JSON pointer as `a.b[0]`. */
const placeOf = (pointer: string): string =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((key) => (/^\d+$/u.test(key) ? `[${key}]` : `.${key}`))
    .join("")
    .replace(/^\./u, "")

const issueOf = ({ instancePath, keyword, message = keyword, params }: ErrorObject): string => {
  const named: unknown = params["allowedValues"] ?? params["additionalProperty"] ?? params["unevaluatedProperty"]
  const said = named === undefined ? message : `${message} (${JSON.stringify(named)})`
  return instancePath === "" ? said : `${placeOf(instancePath)}: ${said}`
}

/** Formats are checked; a keyword or a format that is not known is an error. What is legal and unusual is none. */
const options = {
  allErrors: true,
  strict: true,
  strictRequired: false,
  strictTypes: false,
  strictTuples: false,
  logger: false
} as const

/** Loaded with the first schema. */
const load = Effect.promise(async () => {
  const [{ Ajv2020 }, { default: formats }] = await Promise.all([import("ajv/dist/2020.js"), import("ajv-formats")])
  return () => formats.default(new Ajv2020(options))
})

/** A schema that no result can be held against. */
export class UnusableSchema extends Schema.TaggedError<UnusableSchema>()("UnusableSchema", {
  /** As a sentence without its end. */
  why: Schema.String
}) {
  override get message() {
    return `the JSON Schema of the result cannot be used: ${this.why}. Write it another way.`
  }
}

/** Errors: `UnusableSchema` says why. */
export const read = (schema: unknown): Effect.Effect<Check, UnusableSchema> =>
  Effect.gen(function* () {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
      return yield* new UnusableSchema({ why: "it is not an object" })
    }
    const make = yield* load
    const { $schema: _, ...rest } = { ...schema } as Record<string, unknown>
    // What it makes of it answers with a promise.
    if ("$async" in rest) return yield* new UnusableSchema({ why: "it has $async" })
    const validate = yield* Effect.try({
      try: () => make().compile(rest),
      catch: (cause) => new UnusableSchema({ why: cause instanceof Error ? cause.message : String(cause) })
    })
    return (value) => {
      if (validate(value)) return undefined
      return (validate.errors ?? []).slice(0, most).map(issueOf).join("; ")
    }
  })

/** The JSON of a result: all of it, or what stands in its only block of code. */
const jsonOf = (text: string): string => /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/u.exec(text)?.[1] ?? text.trim()

const parsed = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Says whether a result fits its schema. */
export type Judged =
  | { readonly _tag: "Fits"; readonly text: string }
  /** Why, as a sentence without its end. */
  | { readonly _tag: "Unfit"; readonly why: string }

/** Holds a result against a schema that `read` has taken. */
export const judge = (schema: unknown, result: string): Effect.Effect<Judged> =>
  Effect.match(read(schema), {
    onFailure: ({ why }): Judged => ({ _tag: "Unfit", why }),
    onSuccess: (check) => {
      const text = jsonOf(result)
      const value = parsed(text)
      const why = Option.isNone(value) ? "it is not JSON" : check(value.value)
      return why === undefined ? { _tag: "Fits", text } : { _tag: "Unfit", why }
    }
  })

const beginning = "Not completed: the result does not fit its JSON Schema: "

/** Gives what the model reads of a result that does not fit. */
export const complaint = (why: string): string => `${beginning}${why}. Correct it, and give the whole JSON alone.`

/** Of a result that does not fit after it was corrected. */
export const unfit = (why: string, result: string): string =>
  `The result does not fit its JSON Schema: ${why}.\n\n${result}`

/** Gives what the model is told of the schema from the beginning. */
export const told = (schema: unknown): string =>
  `\n\nResult\n- Your result is read by a program: one JSON value that fits this JSON Schema, and nothing else.\n${JSON.stringify(schema)}`

const notCompleted: ReadonlySet<Origin.Origin> = new Set(["engine.notCompleted"])

/** The texts in which a model is told that its result does not fit: of an answer in words, and of a call. */
const answersTo = (message: Message.Message): ReadonlyArray<string> => [
  ...Origins.texts(message, notCompleted).map((text) => text.slice(1)),
  ...message.content.flatMap((block) =>
    block.type === "tool_result" ? block.content.flatMap((of) => (of.type === "text" ? [of.text] : [])) : []
  )
]

/** Says whether the model was told once that its result does not fit. */
export const isCorrected = (messages: ReadonlyArray<Message.Message>): boolean =>
  messages.some((message) => message.role === "user" && answersTo(message).some((text) => text.startsWith(beginning)))

/** Gives a result as the model gave it; of what it said without a call, the correction stands alone. */
export const given = (messages: ReadonlyArray<Message.Message>, result: string, callId: string | undefined): string => {
  if (callId !== undefined || !isCorrected(messages)) return result
  const last = messages.findLast(({ role }) => role === "assistant")
  return last === undefined ? result : Message.textOf(last)
}
