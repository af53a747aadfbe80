/**
 * A stored conversation as a log of the history: every call has one result, and roles and blocks are those of the API.
 *
 * Pure. Nothing that was said is left out: what has no place of its own becomes text. Calls without a result are left
 * open only at the end, and whoever uses the log says which of them wait for something.
 */
import type { Import } from "@belay/history-store"
import { type Block, isSaid, said, type ToolResult, type ToolUse } from "./internal/blocks.ts"
import * as Completion from "./internal/completion.ts"
import * as Delegation from "./internal/delegation.ts"
import * as Shown from "./internal/shown.ts"
import { type Turn, turnOf } from "./internal/turns.ts"

/** A message; `hidden` when its program no longer showed it to the model. */
type Entry = Extract<Import.Entry, { readonly message: unknown }> & { readonly hidden?: true }
type Result = NonNullable<Entry["results"]>[number]

interface Call {
  readonly raw: string
  readonly use: ToolUse
}

/** An answer whose calls are not all settled, and what was said after it. */
interface Open {
  readonly at: number
  readonly content: ReadonlyArray<Block>
  readonly calls: ReadonlyArray<Call>
  readonly results: ReadonlyMap<string, ToolResult>
  readonly said: ReadonlyArray<Entry>
}

export interface Transcript {
  readonly entries: ReadonlyArray<Entry>
  /** At the end: an answer of which a call has no result. */
  readonly open: Open | undefined
  /** What was changed so that the log is sound, each in one line. */
  readonly notes: ReadonlyArray<string>
  /** The result that it ends with, when nothing speaks against it. */
  readonly completion: string | undefined
  /** Its calls for subtasks, in order. */
  readonly delegations: ReadonlyArray<Delegation.Delegation>
}

const unknownOutcome = "It is not known whether this ran: the program that asked for it has stored no result."
const acceptedResult = "The task ended with this result."

/** Reads turns one after the other, and pairs calls with results. */
class Reading {
  readonly entries: Array<Entry> = []
  readonly notes: Array<string> = []
  readonly ids = new Set<string>()
  readonly delegations: Array<Delegation.Delegation> = []
  /** Calls of earlier answers, by the id that they had, and the message that tells of them. */
  readonly unanswered = new Map<string, { readonly callId: string; readonly entry: number }>()
  at: number
  hidden = false
  calls: ReadonlyArray<Call> = []
  content: ReadonlyArray<Block> = []
  results = new Map<string, ToolResult>()
  said: Array<Entry> = []

  constructor(from: number) {
    this.at = from
  }

  /** An id of its own that services accept. */
  idOf(raw: string): string {
    const safe = raw.replaceAll(/[^\w-]/gu, "_") || "call"
    let id = safe
    for (let n = 2; this.ids.has(id); n++) id = `${safe}-${n}`
    this.ids.add(id)
    return id
  }

  /** Times never go back. */
  timeOf(turn: Turn): number {
    this.at = Math.max(this.at, turn.at ?? this.at)
    return this.at
  }

  answer(turn: Turn): void {
    this.close()
    const at = this.timeOf(turn)
    const calls: Array<Call> = []
    this.content = turn.blocks.map((block) => {
      if (block.type === "tool_result") return said(`[result without a call] ${JSON.stringify(block.content)}`)
      if (block.type !== "tool_use") return block
      const use = { ...block, id: this.idOf(block.id) }
      calls.push({ raw: block.id, use })
      return use
    })
    this.calls = calls
    this.results = new Map()
    this.hidden = turn.hidden
    this.entries.push({ at, message: { role: "assistant", content: this.content }, ...hiding(turn.hidden) })
  }

  /** The first call of this id that has no result; a result that was a failure gives way to one that was not. */
  result(block: ToolResult): Block | undefined {
    const own = this.calls.filter(({ raw }) => raw === block.tool_use_id)
    const open = own.find(({ use }) => !this.results.has(use.id)) ?? own.at(-1)
    if (open === undefined) return this.late(block)
    const { id } = open.use
    const before = this.results.get(id)
    if (before !== undefined) this.notes.push(`call ${id} had more than one result`)
    if (before === undefined || (before.is_error === true && block.is_error !== true)) {
      this.results.set(id, { ...block, tool_use_id: id })
    }
    return undefined
  }

  /** A result that came after the next answer belongs to its call all the same; one of no call is said. */
  late(block: ToolResult): Block | undefined {
    const place = this.unanswered.get(block.tool_use_id)
    if (place === undefined) {
      this.notes.push(`a result is there without a call (${block.tool_use_id})`)
      return said(`[result without a call] ${JSON.stringify(block.content)}`)
    }
    const { callId, entry } = place
    const before = this.entries[entry]
    if (before === undefined) return undefined
    const result = { ...block, tool_use_id: callId }
    const content = before.message.content.map((one) =>
      one.type === "tool_result" && one.tool_use_id === callId ? result : one
    )
    this.entries[entry] = { ...before, message: { ...before.message, content } }
    this.unanswered.delete(block.tool_use_id)
    const made = this.delegations.findIndex((one) => one.callId === callId)
    const delegation = this.delegations[made]
    if (delegation !== undefined) this.delegations[made] = { ...delegation, ...Delegation.resultOf(result) }
    return undefined
  }

  say(turn: Turn): void {
    const at = this.timeOf(turn)
    const content = turn.blocks.flatMap((block): ReadonlyArray<Block> => {
      if (block.type === "tool_use") return [said(JSON.stringify(block))]
      const other = block.type === "tool_result" ? this.result(block) : block
      return other === undefined ? [] : [other]
    })
    if (content.length > 0) this.said.push({ at, message: { role: "user", content }, ...hiding(turn.hidden) })
  }

  /** What its calls for subtasks have come to; one that is `over` without a result gets none any more. */
  delegated(over: boolean): void {
    const after = this.said.map(({ message }) => message)
    const found = Delegation.of(this.content, this.calls, this.results, after, this.at)
    this.delegations.push(
      ...found.map((one) =>
        over && one.state === "open" && one.callId !== "" ? { ...one, state: "refused" as const } : one
      )
    )
  }

  /** All results in one message, in the order of the calls, and then what was said. */
  close(): void {
    this.delegated(true)
    if (this.calls.length > 0) {
      const missing = this.calls.filter(({ use }) => !this.results.has(use.id))
      for (const { raw, use } of missing) {
        this.notes.push(`call ${use.id} (${use.name}) had no result`)
        this.unanswered.set(raw, { callId: use.id, entry: this.entries.length })
      }
      const content = this.calls.map(({ use }) => this.results.get(use.id) ?? failure(use.id, unknownOutcome))
      this.entries.push({ at: this.at, message: { role: "user", content }, ...hiding(this.hidden) })
    }
    this.entries.push(...this.said)
    this.content = []
    this.calls = []
    this.said = []
  }

  get isOpen(): boolean {
    return this.calls.some(({ use }) => !this.results.has(use.id))
  }
}

const hiding = (isHidden: boolean): { readonly hidden?: true } => (isHidden ? { hidden: true } : {})

const failure = (callId: string, words: string): ToolResult => ({
  type: "tool_result",
  tool_use_id: callId,
  content: [said(words)],
  is_error: true
})

/** What a log lacks by itself. */
export interface Around {
  /** What was asked for, if no turn says it. */
  readonly task: string
  /** ms since 1970: no time is before, and none after. */
  readonly from: number
  readonly until: number
  /** The places that Cline no longer showed: first and last. */
  readonly deleted?: unknown
  /** The result that it was about to give, and that nobody has accepted yet. */
  readonly pending?: string | undefined
}

/** The log of stored turns. */
export const make = (stored: ReadonlyArray<unknown>, { deleted, from, pending, task, until }: Around): Transcript => {
  const reading = new Reading(from)
  const hidden = Shown.hidden(stored, deleted)
  const read = stored.flatMap((value, place) => {
    const turn = turnOf(value, hidden.has(place))
    return turn === undefined ? [] : [{ ...turn, at: turn.at === undefined ? undefined : Math.min(turn.at, until) }]
  })
  const dropped = stored.length - read.length
  if (dropped > 0) reading.notes.push(`${dropped} of its entries are not messages`)
  const turns =
    pending === undefined
      ? read
      : Completion.reopened<Turn>(read, pending, (blocks) => ({
          at: read.at(-1)?.at,
          role: "assistant",
          blocks,
          hidden: false
        }))
  const completion = Completion.ofTurns(turns)
  if (turns.find(({ blocks }) => blocks.length > 0)?.role !== "user") {
    reading.entries.push({ at: from, message: { role: "user", content: [said(isSaid(task) ? task : "Go on.")] } })
  }
  for (const turn of turns) {
    if (turn.blocks.length === 0) continue
    if (turn.role === "assistant") reading.answer(turn)
    else reading.say(turn)
  }
  const { at, calls, content, results, said: after } = reading
  const open = reading.isOpen ? { at, content, calls, results, said: after } : undefined
  if (open === undefined) reading.close()
  else reading.delegated(false)
  const { delegations, entries, notes } = reading
  return { entries, open, notes, completion, delegations }
}

/** The ids of the calls of a tool that have no result. */
export const openCalls = ({ open }: Transcript, name: string): ReadonlyArray<string> =>
  open === undefined
    ? []
    : open.calls.flatMap(({ use }) => (use.name === name && !open.results.has(use.id) ? [use.id] : []))

const resultOf = (block: ToolResult): Result => ({
  callId: block.tool_use_id,
  content: block.content,
  isError: block.is_error === true,
  state: "finished"
})

export interface Ended {
  readonly log: ReadonlyArray<Entry>
  /** What was said while a call is open. */
  readonly said: NonNullable<Import.Task["said"]>
}

/** How its end is settled: the calls that go on, as begun or as asked for, and whether the task has completed. */
export interface Ending {
  readonly waiting: ReadonlySet<string>
  readonly requested: ReadonlySet<string>
  readonly completed: boolean
}

const spoken = (entries: ReadonlyArray<Entry>): Ended["said"] =>
  entries.map(({ message }) => {
    const texts = message.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
    const attached = message.content.flatMap((block) => (block.type === "image" ? [block] : []))
    return { text: texts.join("\n\n"), ...(attached.length === 0 ? {} : { attached }) }
  })

/** The whole log: what nothing waits for at its end gets a result that says so. */
export const ended = ({ entries, open }: Transcript, ending: Ending): Ended => {
  if (open === undefined) return { log: entries, said: [] }
  const { at, calls, content, results, said: after } = open
  const goesOn = ({ use }: Call) => !results.has(use.id) && (ending.waiting.has(use.id) || ending.requested.has(use.id))
  const settled = calls.flatMap((call): ReadonlyArray<ToolResult> => {
    if (goesOn(call)) return []
    const { id, name } = call.use
    const known = results.get(id)
    if (known !== undefined) return [known]
    if (!ending.completed || name !== Completion.tool) return [failure(id, unknownOutcome)]
    return [{ type: "tool_result", tool_use_id: id, content: [said(acceptedResult)] }]
  })
  if (!calls.some(goesOn)) {
    return { log: [...entries, { at, message: { role: "user", content: settled } }, ...after], said: [] }
  }
  const requested = calls.flatMap(({ use }) => (ending.requested.has(use.id) ? [use.id] : []))
  const last: Entry = {
    at,
    message: { role: "assistant", content },
    ...(settled.length === 0 ? {} : { results: settled.map(resultOf) }),
    ...(requested.length === 0 ? {} : { requested })
  }
  return { log: [...entries.slice(0, -1), last], said: spoken(after) }
}
