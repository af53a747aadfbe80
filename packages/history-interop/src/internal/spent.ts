/** What a task cost: of each request that people saw, else the sums of its item. */
import type { Import } from "@belay/history-store"
import type { Item } from "../Item.ts"
import { amount, count, fieldsOf, text } from "./fields.ts"
import { parse } from "./json.ts"
import * as Result from "effect/Result"

type Whole = (words: string | undefined) => string | undefined

type Spent = Extract<Import.Entry, { readonly usage: unknown }>

const spent = (
  at: number,
  tokens: ReadonlyArray<number | undefined>,
  costUsd: number | undefined
): ReadonlyArray<Spent> => {
  const [inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0] = tokens
  const nothing = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens === 0 && (costUsd ?? 0) === 0
  if (nothing) return []
  const usage = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }
  return [{ at, usage, model: "", costUsd: costUsd ?? null }]
}

const requestOf = (event: unknown, whole: Whole): ReadonlyArray<Spent> => {
  const { say, text: words, ts } = fieldsOf(event)
  if (say !== "api_req_started" && say !== "subagent_usage") return []
  const parsed = parse(whole(text(words)) ?? "")
  const told = fieldsOf(Result.isSuccess(parsed) ? parsed.success : undefined)
  const tokens = ["tokensIn", "tokensOut", "cacheReads", "cacheWrites"].map((name) => count(told[name]))
  return spent(count(ts) ?? 0, tokens, amount(told["cost"]))
}

/** `whole` reads a text that was left in its file. */
export const of = (item: Item, events: ReadonlyArray<unknown>, at: number, whole: Whole): ReadonlyArray<Spent> => {
  const requests = events.flatMap((event) => requestOf(event, whole))
  if (requests.length > 0) return requests
  return spent(at, [item.tokensIn, item.tokensOut, item.cacheReads, item.cacheWrites], item.cost)
}

/** Messages with the costs among them, by time, none before the first; neither changes its order. */
export const among = (
  messages: ReadonlyArray<Import.Entry>,
  costs: ReadonlyArray<Spent>
): ReadonlyArray<Import.Entry> => {
  const merged: Array<Import.Entry> = []
  const left = [...costs]
  for (const message of messages) {
    const at = merged.at(-1)?.at
    const count = at === undefined ? 0 : left.findIndex((cost) => cost.at > message.at)
    const before = left.splice(0, count === -1 ? left.length : count)
    merged.push(...before.map((cost) => ({ ...cost, at: at ?? cost.at })), message)
  }
  return [...merged, ...left.map((cost) => ({ ...cost, at: merged.at(-1)?.at ?? cost.at }))]
}
