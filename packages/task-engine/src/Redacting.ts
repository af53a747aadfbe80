/**
 * What must not be kept, shown or sent: taken out where texts come in and where they are stored.
 *
 * Everything that is stored goes through `history`. What is sent, also of what was stored before a value was known, and
 * what is shown before it is stored, the pieces of an answer and of a tool's output, goes through `model` and `tools`.
 * Without values nothing is done.
 */
import { type HistoryError, Inbox, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { ModelClient, ModelError, type ModelEvent, type ModelRequest, type Redaction } from "@belay/model-client"
import type { Tool } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

type History<Beside, R> = Layer.Layer<TaskHistory | Inbox | Beside, HistoryError.HistoryError, R>

/** A history that stores nothing of it, and whose events hold nothing of it. */
export const history = <Beside, R>(redaction: Redaction.Redaction, layer: History<Beside, R>): History<Beside, R> =>
  Layer.effectContext(
    Effect.map(Layer.build(layer), (context) => {
      const stored = Context.get(context, TaskHistory)
      const inbox = Context.get(context, Inbox)
      return context.pipe(
        Context.add(TaskHistory, { ...stored, commit: (steps) => stored.commit(redaction.deep(steps)) }),
        Context.add(Inbox, { ...inbox, post: (request) => inbox.post(redaction.deep(request)) })
      )
    })
  )

type Delta = Extract<ModelEvent.ModelEvent, { readonly _tag: "TextDelta" | "ThinkingDelta" | "ToolInputDelta" }>

const textOf = (delta: Delta): string => (delta._tag === "ToolInputDelta" ? delta.json : delta.text)

const withText = (delta: Delta, text: string): ReadonlyArray<Delta> => {
  if (text === "") return []
  return [delta._tag === "ToolInputDelta" ? { ...delta, json: text } : { ...delta, text }]
}

/** Its cause is for a terminal alone, and is clean of the service's keys. */
const clean = (redaction: Redaction.Redaction, { cause, host, reason }: ModelError.ModelError) =>
  new ModelError.ModelError({
    host: redaction.text(host),
    reason: redaction.deep(reason),
    ...(cause === undefined ? {} : { cause })
  })

/** A service refuses thinking of which something was taken out: it is left out whole. */
const unchanged = (before: Message.Message["content"], after: Message.Message["content"]) =>
  before === after ? after : after.filter((block, at) => !Message.isThinking(block) || block === before[at])

/** The events of one answer. The text of a block may come later than it did, never after the block has finished. */
const answer = (redaction: Redaction.Redaction) => {
  const blocks = new Map<number, { readonly pieces: Redaction.Pieces; last: Delta }>()
  const end = (index: number): ReadonlyArray<Delta> => {
    const block = blocks.get(index)
    blocks.delete(index)
    return block === undefined ? [] : withText(block.last, block.pieces.end())
  }
  return (event: ModelEvent.ModelEvent): ReadonlyArray<ModelEvent.ModelEvent> => {
    switch (event._tag) {
      case "TextDelta":
      case "ThinkingDelta":
      case "ToolInputDelta": {
        const block = blocks.get(event.index) ?? { pieces: redaction.pieces(), last: event }
        block.last = event
        blocks.set(event.index, block)
        return withText(event, block.pieces.push(textOf(event)))
      }
      case "BlockFinished":
        return [...end(event.index), redaction.deep(event)]
      case "Retrying":
        blocks.clear()
        return [{ ...event, reason: clean(redaction, event.reason) }]
      case "Finished": {
        const content = unchanged(event.message.content, redaction.deep(event.message.content))
        return [
          ...[...blocks.keys()].flatMap(end),
          { ...redaction.deep(event), message: { ...event.message, content } }
        ]
      }
      default:
        return [...[...blocks.keys()].flatMap(end), redaction.deep(event)]
    }
  }
}

/** What a message of the log says is the same value at every request, and never changes; so are prompt and tools. */
const sent = (redaction: Redaction.Redaction, { messages, system, tools, ...rest }: ModelRequest.ModelRequest) => ({
  ...redaction.deep(rest),
  system: redaction.lasting(system),
  tools: redaction.lasting(tools),
  messages: messages.map(({ content, role }) => {
    const clean = redaction.lasting(content)
    const lost = content.some((block, at) => Message.isThinking(block) && block !== clean[at])
    return { role, content: lost ? Message.unthought(clean) : clean }
  })
})

/** A model that is sent nothing of it, and whose answers and errors hold nothing of it, in whatever pieces they come. */
export const model = <E, R>(
  redaction: Redaction.Redaction,
  layer: Layer.Layer<ModelClient.ModelClient, E, R>
): Layer.Layer<ModelClient.ModelClient, E, R> =>
  Layer.effect(
    ModelClient.ModelClient,
    Effect.map(ModelClient.ModelClient, (client) =>
      ModelClient.ModelClient.of({
        ready: (asked) => Effect.mapError(client.ready(asked), (error) => clean(redaction, error)),
        service: client.service,
        stream: (request) =>
          Stream.suspend(() => {
            if (redaction.isEmpty()) return client.stream(request)
            return client.stream(sent(redaction, request)).pipe(
              Stream.mapAccum(
                () => answer(redaction),
                (each, event) => [each, each(event)]
              ),
              Stream.mapError((error) => clean(redaction, error))
            )
          }),
        countTokens: (request) =>
          Effect.suspend(() => client.countTokens(sent(redaction, request))).pipe(
            Effect.mapError((error) => clean(redaction, error))
          )
      })
    )
  ).pipe(Layer.provide(layer))

const tool = (redaction: Redaction.Redaction, given: Tool.Tool): Tool.Tool => ({
  ...given,
  execute: (args, context) =>
    Effect.suspend(() => {
      if (redaction.isEmpty()) return given.execute(args, context)
      const pieces = redaction.pieces()
      const show = (text: string) => (text === "" ? Effect.void : context.progress(text))
      return given
        .execute(args, { ...context, progress: (chunk) => Effect.suspend(() => show(pieces.push(chunk))) })
        .pipe(
          Effect.tap(() => Effect.suspend(() => show(pieces.end()))),
          Effect.map((output) => redaction.deep(output))
        )
    })
})

/** Tools whose output holds nothing of it, neither the whole nor what they show while they run. */
export const tools = (redaction: Redaction.Redaction, given: ReadonlyArray<Tool.Tool>): ReadonlyArray<Tool.Tool> =>
  given.map((one) => tool(redaction, one))
