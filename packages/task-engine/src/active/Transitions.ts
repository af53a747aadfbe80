/**
 * What may happen to a task that runs here: each function says what has happened, and changes what follows from it. Nothing
 * else changes an `ActiveTask` but the owners that it names.
 */
import { Reminder } from "@belay/focus-chain"
import type { Event, History, Reservation } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { Settings } from "@belay/settings"
import { LoopGuard, Recovery, type Streaming, TaskRecord } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { type ActiveTask, isLost } from "./ActiveTask.ts"
import type * as ContextSize from "./ContextSize.ts"
import * as OpenAsk from "./OpenAsk.ts"
import * as PartialUsage from "./PartialUsage.ts"
import * as RetryCount from "./RetryCount.ts"
import * as Prompt from "../prompt/Prompt.ts"

/** The same value as who owns it sees it. */
type Own<A> =
  A extends ReadonlyMap<infer K, infer V>
    ? Map<K, V>
    : A extends ReadonlySet<infer V>
      ? Set<V>
      : A extends ReadonlyArray<infer V>
        ? Array<V>
        : { -readonly [K in keyof A]: A[K] }

const own = <A extends object>(part: A): Own<A> => part as Own<A>

// Who has it

/** Its runner ends, and writes nothing more. */
export const lose = ({ interrupt }: ActiveTask): void => void Deferred.doneUnsafe(interrupt.lost, Effect.void)

/** Somebody has changed its record: of another attempt, or of a task that is deleted, this runner hears no more. */
export const followed = (task: ActiveTask, record: TaskRecord.TaskRecord): void => {
  const isAnother = task.attempt !== undefined && task.attempt !== record.attempt
  if (isAnother || TaskRecord.isTombstone(record)) lose(task)
  if (!isLost(task)) own(task).record = record
}

/** Its runner has taken it: from now on its attempt is fixed. */
export const taken = (task: ActiveTask, attempt: number): void => {
  own(task).attempt = attempt
}

/** What is stored of it when its runner begins: it may have waited for its turn, and others did not. */
export const lookedAt = (
  task: ActiveTask,
  { contextTokens, lastSeq, lease, meta, record }: History.TaskRow,
  settings: Settings.TaskSettings,
  me: string
): void => {
  const { mode, title } = meta
  const attempt = task.attempt ?? (lease?.ownerId === me ? record.attempt : undefined)
  Object.assign(own(task), { record, attempt, settings, mode, title })
  own(task.context).stored = contextTokens
  own(task.conversation).lastSeq = lastSeq
}

/**
 * Its runner begins with what the model is shown, as it was read: what was stored meanwhile comes after it. What was said
 * to a task that goes on may wait for the end of an answer.
 */
export const begun = (
  task: ActiveTask,
  messages: ReadonlyArray<Message.LoggedMessage>,
  callIds: Iterable<string>,
  goesOn: boolean
): void => {
  const last = messages.at(-1)?.index ?? -1
  shown(task, [...messages, ...task.conversation.messages.filter(({ index }) => index > last)])
  for (const callId of callIds) own(task.conversation.callIds).add(callId)
  own(task.context).condensed = false
  if (goesOn) own(task.conversation).unread = true
}

/** It has other settings from now on. */
export const configured = (task: ActiveTask, settings: Settings.TaskSettings): void => {
  own(task).settings = settings
}

// The log

/** An event of it is stored. */
export const observed = (task: ActiveTask, event: Event.StoredEvent): void => {
  const conversation = own(task.conversation)
  conversation.lastSeq = event.seq
  conversation.live = 0
  switch (event.type) {
    case "message":
      own(task.conversation.messages).push({ ...event })
      called(task, Message.toolUses(event))
      if (Prompt.saysUser(event)) heardUser(task)
      return
    case "tool.finished":
      own(task.conversation.open).delete(event.callId)
      return
    case "task.renamed":
      own(task).title = event.title
      return
    case "mode.changed":
      own(task).mode = event.to
      own(task).reminder = Reminder.switched(task.reminder, event.to)
      return
    case "context.condensed":
      // What it was told of its phase may be in what it is no longer shown.
      conversation.planningTold = false
      return
    case "planning.changed":
      own(task).planning = event.to
      conversation.planningTold = true
      return
    case "usage":
      own(task.budget).taken = undefined
      return
    case "ask.settled":
      return OpenAsk.stored(task.asks, event.askId)
  }
}

const called = ({ conversation }: ActiveTask, uses: ReadonlyArray<Message.ToolUseBlock>): void => {
  if (uses.length === 0) return
  own(conversation.open).clear()
  for (const { id } of uses) {
    own(conversation.callIds).add(id)
    own(conversation.open).add(id)
  }
}

/** Something that is not stored is about to be told. */
export const tells = ({ conversation }: ActiveTask): void => {
  own(conversation).live += 1
}

/** The model is shown these messages from now on. */
export const shown = ({ conversation }: ActiveTask, messages: ReadonlyArray<Message.LoggedMessage>): void =>
  void own(conversation.messages).splice(0, conversation.messages.length, ...messages)

/** The model has something to read at the next turn boundary. */
export const mustRead = ({ conversation }: ActiveTask): void => {
  own(conversation).unread = true
}

/** What was said is about to be sent to the model. True when there may be anything. */
export const reads = ({ conversation }: ActiveTask): boolean => {
  const { unread } = conversation
  own(conversation).unread = false
  return unread
}

/** The model is about to be told of its phase of planning. */
export const planningTold = ({ conversation }: ActiveTask): void => {
  own(conversation).planningTold = true
}

/** The reminder of the checklist is another one. */
export const reminded = (task: ActiveTask, reminder: Reminder.State): void => {
  own(task).reminder = reminder
}

// The context

/** What the newest request has, as the service counted it or is taken to count it. */
export const sized = ({ context }: ActiveTask, size: ContextSize.Counted | undefined): void => {
  own(context).size = size
}

/** It is not condensed again before it has so many tokens. */
export const lookAgainAt = ({ context }: ActiveTask, tokens: number): void => {
  own(context).lookAgainAt = tokens
}

/** It is condensed because going on after a stop means so. */
export const condensedByResume = ({ context }: ActiveTask): void => {
  own(context).condensed = true
}

/** The service has found the request too long, or has answered it. */
export const tooLong = ({ context }: ActiveTask, wasTooLong: boolean): void => {
  own(context).wasTooLong = wasTooLong
}

// A call of the model

/** The limits leave its next request so many tokens of an answer; none: they leave it all. */
export const granted = ({ budget }: ActiveTask, tokens: number | undefined): void => {
  own(budget).granted = tokens
}

/** The next call is reserved. */
export const reservedAhead = ({ budget }: ActiveTask, asked: Reservation.Asked): void => {
  own(budget).ahead = asked
}

/** What was reserved for the next call, which is made or not made now. */
export const takenUp = ({ budget }: ActiveTask): Reservation.Asked | undefined => {
  const { ahead } = budget
  own(budget).ahead = undefined
  return ahead
}

/** A request is made, with so many tokens at most. */
export const requested = ({ budget }: ActiveTask, model: string, inputTokens: number): PartialUsage.PartialUsage => {
  const begun = PartialUsage.begun(model, inputTokens)
  own(budget).taken = begun
  return begun
}

/** The call is over: what it has taken, when that is not stored. */
export const callOver = ({ budget }: ActiveTask): PartialUsage.PartialUsage | undefined => {
  const { taken } = budget
  own(budget).taken = undefined
  return taken
}

/** The request has come to another state. */
export const streamed = ({ answer }: ActiveTask, state: Streaming.State): void => {
  own(answer).streaming = state
}

/** What had arrived of an answer is void. */
export const emptied = ({ answer }: ActiveTask): void => own(answer.partial).clear()

/** Text of a block has arrived. */
export const arrived = ({ answer: { partial } }: ActiveTask, block: number, text: string): void =>
  void own(partial).set(block, (partial.get(block) ?? "") + text)

/** The request is repeated. */
export const repeated = ({ answer }: ActiveTask, tries: RetryCount.State = RetryCount.initial): void => {
  own(answer).tries = tries
}

// How it gets on

/** Something that tells how the task gets on. */
export const noted = ({ progress }: ActiveTask, event: Recovery.Event): void => {
  own(progress).recovery = Recovery.step(progress.recovery, event)
}

/** The calls in a row are counted like this; without a count they begin again. */
export const counted = ({ progress }: ActiveTask, guard: LoopGuard.State = LoopGuard.reset()): void => {
  own(progress).loopGuard = guard
}

/** A call has failed with these words, by their hash. True when none has said so since the user spoke. */
export const failedWith = ({ progress: { failures } }: ActiveTask, said: string): boolean => {
  const isNew = !failures.has(said)
  own(failures).add(said)
  return isNew
}

/** The user said something: every count starts again. */
export const heardUser = (task: ActiveTask): void => {
  noted(task, Recovery.input)
  counted(task)
  own(task.progress.failures).clear()
}

/** Nothing is known of how it got on. */
export const forgotten = ({ progress }: ActiveTask): void => {
  Object.assign(own(progress), { recovery: Recovery.initial, loopGuard: LoopGuard.initial })
  own(progress.failures).clear()
}

/** Calls that may change something have started. */
export const callsStarted = ({ interrupt }: ActiveTask, callIds: ReadonlyArray<string>): void => {
  for (const callId of callIds) own(interrupt.startedCalls).add(callId)
}

/** Calls have their results. */
export const callsSettled = ({ interrupt }: ActiveTask, callIds: ReadonlyArray<string>): void => {
  for (const callId of callIds) own(interrupt.startedCalls).delete(callId)
}
