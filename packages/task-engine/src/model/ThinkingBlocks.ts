/**
 * What of a conversation's thinking goes back: only what the same service and model made, and, to models that look at it,
 * only behind the very request that it answered. The log keeps all of it.
 *
 * What is left out follows from the messages alone, so it is left out of every later request, too, and a request stays a
 * prefix of the next.
 */
import { Conversation, LogFold, Message } from "@belay/message-state"
import { ModelTable } from "@belay/model-client"
import { createHash } from "node:crypto"

export interface Sent {
  readonly messages: ReadonlyArray<Message.Message>
  /** Who is asked, behind all this. */
  readonly by: Message.Maker
}

export interface To {
  readonly service: string
  readonly model: string
  /** Prompt and tools: the same values for the same ones. */
  readonly head: ReadonlyArray<object>
}

const digests = new WeakMap<object, string>()

const digestOf = (value: object): string => {
  const before = digests.get(value)
  if (before !== undefined) return before
  const digest = createHash("sha256").update(JSON.stringify(value)).digest("base64url")
  digests.set(value, digest)
  return digest
}

const chained = (before: string, next: string): string =>
  createHash("sha256").update(before).update(next).digest("base64url")

/** Nothing is looked at behind what came before. */
const unbound = ""

/** What of a log is sent to a model behind prompt and tools. */
interface Kept {
  readonly messages: Array<Message.Message>
  after: string
}

const keeping = ({ head, model, service }: To) => {
  const how = ModelTable.find(model)?.thinking
  const isBound = how?.kind === "adaptive" && how.bound
  return LogFold.make<Message.Message, Kept>(
    () => ({ messages: [], after: isBound ? head.map(digestOf).reduce(chained, "") : unbound }),
    (state, message) => {
      const { by, content, role } = message
      const isOwn = by?.service === service && by.model === model && (!isBound || by.after === state.after)
      const kept = isOwn ? content : Message.unthought(content)
      if (isBound) state.after = chained(state.after, `${role}${digestOf(kept)}`)
      state.messages.push(kept === content ? message : { role, content: kept })
      return state
    }
  )
}

/** Who was asked last with a log, and what of it was sent. */
interface Asked {
  readonly to: To
  readonly keep: ReturnType<typeof keeping>
}

const asked = new WeakMap<ReadonlyArray<Message.Message>, Asked>()

const isSame = (a: To, b: To): boolean =>
  a.service === b.service && a.model === b.model && a.head.every((part, at) => part === b.head[at])

/** The messages as they are sent. */
export const sent = (log: ReadonlyArray<Message.Message>, to: To): Sent => {
  const before = asked.get(log)
  const now = before !== undefined && isSame(before.to, to) ? before : { to, keep: keeping(to) }
  asked.set(log, now)
  const { after, messages } = now.keep(log)
  const { model, service } = to
  return { messages: Conversation.sent(messages), by: { service, model, after } }
}
