/** Conversations that fill the model's context. */
import { type Event, TaskHistory } from "@belay/history-store"
import { Conversation, Message } from "@belay/message-state"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, calls, recorded, run, says, type World, unmarked, fullAt } from "./world.ts"

/** Settings of a task whose conversation is full at 40,000 characters. */
export const small = await Effect.runPromise(Effect.scoped(fullAt(40_000)))

export const read = (name: string, id?: string): Answer =>
  calls(["read_file", { path: name }, ...(id === undefined ? [] : [id])] as never)

/** Files of 14,000 characters, or of so many lines. */
export const files = (world: World, names: ReadonlyArray<string>, lines = 1000) => {
  for (const name of names) world.write(name, `this is ${name}\n`.repeat(lines))
  world.write("mark.txt", "THE MARK")
}

/** The answer to the newest result that is `mark.txt`, condensed or not. */
export const atMark = (answer: Answer): Answer => ({ ...answer, on: "THE MARK" })

type Condensed = Extract<Event.StoredEvent, { readonly type: "context.condensed" }>

export const condensed = (events: ReadonlyArray<Event.StoredEvent>): ReadonlyArray<Condensed> =>
  events.filter((event): event is Condensed => event.type === "context.condensed")

export const stepsOf = (events: ReadonlyArray<Event.StoredEvent>) => condensed(events).map(({ step }) => step)

/** What differs only in where the breakpoints are is the same request. */
const plain = (value: unknown): unknown => JSON.parse(unmarked(value))

/** The blocks of a request in order, each with its role. */
const blocks = (request: any): ReadonlyArray<string> =>
  (plain(request.messages) as ReadonlyArray<Message.Message>).flatMap(({ content, role }) =>
    content.map((block) => JSON.stringify([role, block]))
  )

/** How often a request is not the one before it with more at its end. */
export const breaks = (requests: ReadonlyArray<any>): number =>
  requests.filter((request, at) => {
    const before = requests[at - 1]
    return before !== undefined && blocks(before).some((block, index) => blocks(request)[index] !== block)
  }).length

export const isWhole = (requests: ReadonlyArray<any>): void => {
  for (const { messages } of requests) {
    assert.deepStrictEqual([Conversation.unanswered(messages), Conversation.duplicates(messages)], [[], []])
    for (const [at, { role }] of messages.entries()) assert.strictEqual(role, at % 2 === 0 ? "user" : "assistant")
  }
}

export const session = (world: World, prompt: string, settings: object = {}) =>
  world.session(
    Effect.gen(function* () {
      const events = yield* recorded
      const ended = yield* run(world.task(prompt, {}, { ...small, ...settings }))
      const history = yield* TaskHistory
      return { ...ended, events, log: yield* history.messages(ended.id), shown: yield* history.shown(ended.id) }
    })
  )

/** The model is asked to sum up: it says this. */
export const sums = (text: string): Answer => ({ ...says(text), on: "replaced by what you write now" })

/** An answer of 10,000 characters, which no step but a summary can leave out, and a call. */
export const talks = (at: number, ...more: ReadonlyArray<readonly [string, unknown]>): Answer => {
  const progress = at === 0 ? { task_progress: "- [x] look\n- [-] think\n- [ ] write" } : {}
  const { content = [] } = calls(["list_tasks", { ids: [`${at}`], ...progress }], ...more)
  return { content: [{ type: "text", text: `thought ${at} `.repeat(1100) }, ...content] }
}

/** After these the conversation is full, and its newest result is the mark. */
export const talk = [talks(0), talks(1), talks(2), talks(3, ["read_file", { path: "mark.txt" }])]
