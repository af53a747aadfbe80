/**
 * The words of a model as they arrive, from the process that runs a task to those that show it: through a file that is
 * written only while somebody wants it, and gone with the message.
 *
 * Who comes late gets what has arrived so far. What is lost is in the message, which is stored; nothing waits for it. Who
 * shows a task touches `live/<task>.want`; its process writes lines to `live/<task>.ndjson`, readable by this user alone.
 */
import { LiveEvent, TaskEvents } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import * as path from "node:path"

/** How long one touch is a wish, in ms, and after how many looks at the file it is renewed. */
const wishHolds = 5000
const looksPerTouch = 20
/** How often a wish is looked for, and the file. */
const lookEvery = "500 millis"
const readEvery = "100 millis"

/** Tells what arrived: `after` is the `seq` of the last stored event; no text: what had arrived is void. */
const Line = Schema.Struct({ after: Schema.Natural, text: Schema.optionalKey(Schema.String) })
export type Line = typeof Line.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Line))

const folderOf = (directory: string): string => path.join(directory, "live")
const wishOf = (directory: string, id: string): string => path.join(folderOf(directory), `${id}.want`)
const wordsOf = (directory: string, id: string): string => path.join(folderOf(directory), `${id}.ndjson`)

/** Whatever is wrong with a file, it is a convenience: the message is stored. */
const quietly = <A>(work: () => A, otherwise: A): A => {
  try {
    return work()
  } catch {
    return otherwise
  }
}

const changedAt = (file: string): number => quietly(() => statSync(file).mtimeMs, -Infinity)

interface Answer {
  after: number
  text: string
  /** Characters that were written; nothing is there without a number. */
  written: number | undefined
  isWanted: boolean
}

/** Writes what arrives in the tasks of this process, for as long as somebody wants it. `directory`: the data folder. */
export const relay = (directory: string): Effect.Effect<void, never, Scope.Scope | TaskEvents> =>
  Effect.gen(function* () {
    const answers = new Map<TaskId.TaskId, Answer>()
    const write = (id: TaskId.TaskId, line: Line, isFirst: boolean): void => {
      const bytes = `${JSON.stringify(line)}\n`
      const file = wordsOf(directory, id)
      quietly(() => (isFirst ? writeFileSync(file, bytes, { mode: 0o600 }) : appendFileSync(file, bytes)), undefined)
    }
    const forget = (id: TaskId.TaskId): void => {
      const isThere = answers.get(id)?.written !== undefined
      answers.delete(id)
      if (isThere) quietly(() => rmSync(wordsOf(directory, id), { force: true }), undefined)
    }
    /** What has arrived and is not written. */
    const flush = (id: TaskId.TaskId, answer: Answer): void => {
      if (!answer.isWanted || answer.text.length === answer.written) return
      write(id, { after: answer.after, text: answer.text.slice(answer.written ?? 0) }, answer.written === undefined)
      answer.written = answer.text.length
    }
    const say = ({ after, taskId }: LiveEvent.LiveEvent, text: string): void => {
      const answer = answers.get(taskId) ?? { after, text: "", written: undefined, isWanted: false }
      answers.set(taskId, answer)
      answer.after = after
      answer.text += text
      flush(taskId, answer)
    }
    // Also while the model says nothing: who comes then sees what it has said.
    const look = Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [id, answer] of answers) {
        answer.isWanted = now - changedAt(wishOf(directory, id)) < wishHolds
        flush(id, answer)
      }
    })
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
    yield* (yield* TaskEvents).listen((event) => {
      if (LiveEvent.isDurable(event)) {
        const isAnswer = event.type === "message" && event.role === "assistant"
        if (isAnswer || event.type === "task.status") forget(event.taskId)
      } else if (event.type === "text.delta") say(event, event.text)
      else if (event.type === "progress" || (event.type === "answer" && event.state === "waiting")) {
        const answer = answers.get(event.taskId)
        if (answer === undefined) return
        if (answer.written !== undefined) write(event.taskId, { after: event.after }, false)
        answer.text = ""
        if (answer.written !== undefined) answer.written = 0
      }
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => [...answers.keys()].forEach(forget)))
  })

const linesIn = (text: string): ReadonlyArray<Line> => text.split("\n").flatMap((line) => Option.toArray(decode(line)))

/**
 * Wants the words of a task of another process, and gives them as they come, until it is interrupted. `take` says whether
 * it has taken them: else it gets them again.
 */
export const follow = (
  directory: string,
  id: TaskId.TaskId,
  take: (lines: ReadonlyArray<Line>) => boolean
): Effect.Effect<never> =>
  Effect.suspend(() => {
    const wish = wishOf(directory, id)
    const file = wordsOf(directory, id)
    let looks = 0
    let taken = 0
    const touch = (): void => {
      mkdirSync(folderOf(directory), { recursive: true, mode: 0o700 })
      writeFileSync(wish, "", { mode: 0o600 })
    }
    const look = Effect.sync(() => {
      if (looks % looksPerTouch === 0) quietly(touch, undefined)
      looks += 1
      const bytes = quietly(() => readFileSync(file), undefined)
      if (bytes === undefined || bytes.length < taken) taken = 0
      const end = (bytes?.lastIndexOf("\n") ?? -1) + 1
      if (bytes === undefined || end <= taken) return
      if (take(linesIn(bytes.subarray(taken, end).toString("utf8")))) taken = end
    })
    return Effect.forever(Effect.andThen(look, Effect.sleep(readEvery))).pipe(
      Effect.ensuring(Effect.sync(() => quietly(() => rmSync(wish, { force: true }), undefined)))
    )
  })
