/**
 * The bytes of a body: its JSON, of which only what is new in the conversation is made for each request.
 *
 * A conversation grows at its end, and what a message says never changes. So the bytes of the messages that the request
 * before had are taken from its body, up to the first that is another one.
 */
import type { CountBody } from "./prepare.ts"

type Sent = CountBody["messages"][number]

/** Messages that were sent, and their bytes: those of message `n` end at `ends[n]`. */
interface Log {
  readonly messages: ReadonlyArray<Sent>
  readonly ends: ReadonlyArray<number>
  readonly bytes: Buffer
}

/** By the content of the first message, as long as that is there. */
const logs = new WeakMap<Sent["content"], Log>()

const empty: Log = { messages: [], ends: [], bytes: Buffer.alloc(0) }

const isSame = (a: Sent, b: Sent | undefined): boolean => a.content === b?.content && a.role === b.role

/** How many messages at the beginning are those of the log. */
const shared = (log: Log, messages: ReadonlyArray<Sent>): number => {
  const different = messages.findIndex((message, at) => !isSame(message, log.messages[at]))
  return different === -1 ? messages.length : different
}

const texts = new WeakMap<object, string>()

/** JSON of a field; tools and prompt are the same values in all requests of a task. */
const textOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const known = texts.get(value)
  if (known !== undefined) return known
  const text = JSON.stringify(value)
  texts.set(value, text)
  return text
}

/** UTF-8; the same bytes as those of `JSON.stringify(body)`. */
export const encode = ({ messages, ...rest }: CountBody): Buffer => {
  const key = messages[0]?.content
  const log = (key && logs.get(key)) ?? empty
  const same = shared(log, messages)
  const ends = log.ends.slice(0, same)
  const fields = Object.entries(rest).map(([name, value]) => `"${name}":${textOf(value)},`)
  const head = Buffer.from(`{${fields.join("")}"messages":[`)
  const parts = [head, log.bytes.subarray(0, ends.at(-1) ?? 0)]
  for (const [at, message] of messages.entries()) {
    if (at < same) continue
    const bytes = Buffer.from(`${at === 0 ? "" : ","}${JSON.stringify(message)}`)
    parts.push(bytes)
    ends.push((ends.at(-1) ?? 0) + bytes.length)
  }
  const body = Buffer.concat([...parts, Buffer.from("]}")])
  if (key !== undefined) logs.set(key, { messages, ends, bytes: body.subarray(head.length, -2) })
  return body
}
