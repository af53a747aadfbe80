/**
 * The bytes of a body: its JSON, without making that of each message anew for each request.
 *
 * A conversation grows at its end, and what a message says never changes. So the bytes of a message's content are kept as
 * long as the content is, and a request costs what is new in it.
 */
import type { CountBody } from "./prepare.ts"

type Sent = CountBody["messages"][number]

const kept = new WeakMap<Sent["content"], Buffer>()

const bytesOf = (content: Sent["content"]): Buffer => {
  const known = kept.get(content)
  if (known !== undefined) return known
  const bytes = Buffer.from(JSON.stringify(content))
  kept.set(content, bytes)
  return bytes
}

const opened = {
  user: Buffer.from('{"role":"user","content":'),
  assistant: Buffer.from('{"role":"assistant","content":')
} as const satisfies Record<Sent["role"], Buffer>

const closed = Buffer.from("}")
const between = Buffer.from("},")
const end = Buffer.from("]}")

/** UTF-8; the same bytes as those of `JSON.stringify(body)`. */
export const encode = ({ messages, ...rest }: CountBody): Buffer => {
  const parts: Array<Buffer> = [Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"messages":[`)]
  for (const [at, { content, role }] of messages.entries()) {
    parts.push(opened[role], bytesOf(content), at === messages.length - 1 ? closed : between)
  }
  parts.push(end)
  return Buffer.concat(parts)
}
