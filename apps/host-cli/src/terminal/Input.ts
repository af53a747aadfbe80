/**
 * `--input stream-json`: answers, messages, switches and a stop on stdin while the task runs, one JSON object a line.
 *
 * With it an ask waits, and is answered by its id alone. A line that is not understood is told in one line on stderr and
 * changes nothing. The end of stdin does not stop the task: what asks from then on is asked of nobody.
 */
import { TaskHistory } from "@belay/history-store"
import { UserPort, TaskEngine } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { fromError, line as failureLine, usage } from "../cli/Failure.ts"
import * as Lines from "./Lines.ts"
import type { Sink } from "../output/Sink.ts"
import * as Slash from "./Slash.ts"

const Command = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("answer"),
    askId: Schema.String,
    decision: Schema.optionalKey(Schema.Literals(["allow", "deny"])),
    text: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({
    type: Schema.Literal("mode"),
    mode: Schema.Literals(["plan", "act"]),
    text: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literal("message"), text: Schema.NonEmptyString }),
  Schema.Struct({ type: Schema.Literal("interrupt") })
])

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Command))

export interface Input {
  readonly person: Layer.Layer<UserPort>
  /** Reads stdin from now on, as long as the scope is open; `root` is the task that is meant. */
  readonly listen: (root: () => TaskId.TaskId) => Effect.Effect<void, never, TaskEngine | TaskHistory | Scope.Scope>
}

const lines = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<string | undefined>()
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      Lines.listen(
        process.stdin,
        (text) => void Queue.offerUnsafe(queue, text),
        () => void Queue.offerUnsafe(queue, undefined)
      )
    ),
    (close) =>
      Effect.sync(() => {
        close()
        process.stdin.destroy()
      })
  )
  return queue
})

/** What is said with a command; help is for whoever says it. */
const wordsOf = (command: typeof Command.Type): string =>
  command.type === "interrupt" || command.type === "mode" ? "" : (command.text ?? "")

const carryOut = (root: TaskId.TaskId, command: typeof Command.Type) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const history = yield* TaskHistory
    switch (command.type) {
      case "message":
        return yield* engine.send(root, command.text)
      case "mode":
        return yield* engine.switchMode(root, command.mode, command.text)
      case "interrupt":
        return yield* engine.interrupt(root, "user")
      case "answer": {
        const { askId, type: _type, ...given } = command
        for (const id of engine.running()) {
          if ((yield* history.asks(id)).some((ask) => ask.askId === askId))
            return yield* engine.answer(id, askId, given)
        }
        return yield* usage(`nothing here asks "${Words.printable(askId)}"`, "Use the askId of an open ask.")
      }
    }
  })

const understand = (text: string) =>
  Effect.mapError(decode(text), (error) => {
    const why = Words.printable(error.message.replaceAll(/\s+/g, " ")).slice(0, 200)
    return usage(`a line on stdin was not understood (${why})`, "Nothing was done.")
  })

/** `at` is the workspace of the task that runs. */
export const make = (sink: Sink, at: () => string): Input => {
  const ended = Deferred.makeUnsafe<undefined>()
  const nobody = Deferred.await(ended)
  const person = Layer.succeed(UserPort, {
    get attended() {
      return !Deferred.isDoneUnsafe(ended)
    },
    approve: () => nobody,
    answer: () => nobody
  })
  const handle = (id: TaskId.TaskId, text: string) =>
    Effect.gen(function* () {
      const command = yield* understand(text)
      if (!(yield* Slash.toTask(wordsOf(command), at(), sink))) yield* carryOut(id, command)
    }).pipe(Effect.catch((error) => Effect.sync(() => sink.err(failureLine(fromError(error))))))
  const listen: Input["listen"] = (root) =>
    Effect.gen(function* () {
      const queue = yield* lines
      const each: Effect.Effect<void, never, TaskEngine | TaskHistory> = Effect.gen(function* () {
        for (;;) {
          const text = yield* Queue.take(queue)
          if (text === undefined) break
          if (text.trim() !== "") yield* handle(root(), text)
        }
        yield* Deferred.succeed(ended, undefined)
      })
      yield* Effect.forkScoped(each)
    })
  return { person, listen }
}
