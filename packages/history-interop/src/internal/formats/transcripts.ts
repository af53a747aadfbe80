/**
 * A session of Claude Code, or one of its agents: a file of lines, each with the line before it.
 *
 * The branch that was gone on with last is read from its last line to its first. A line whose predecessor was never written
 * follows the line that lies before it; answers of one message, and the results of their calls, belong together. What
 * belongs to other branches is left out, and said.
 */
import type { Item } from "../../Item.ts"
import { type Fields, fieldsOf, isFields, listOf, momentOf, text } from "../fields.ts"
import type { Source } from "../layout.ts"
import type { Lines, Reading } from "../stored.ts"
import type { Raw } from "./raw.ts"
import { lastWords } from "./sessions.ts"

/** Rows that name the row before them; some are only there to be named. */
const isLinked = (row: Fields): boolean => text(row["uuid"]) !== undefined

const isSaid = (row: Fields): boolean =>
  (row["type"] === "user" || row["type"] === "assistant") && row["isApiErrorMessage"] !== true

export interface Chain {
  readonly rows: ReadonlyArray<Fields>
  /** Rows that name a row that was never written. */
  readonly dangling: number
  /** Said, and of no branch that was gone on with. */
  readonly elsewhere: number
}

const callsIn = (row: Fields): ReadonlyArray<string> =>
  listOf(fieldsOf(row["message"])["content"]).flatMap((block) =>
    fieldsOf(block)["type"] === "tool_use" ? (text(fieldsOf(block)["id"]) ?? []) : []
  )

const answersIn = (row: Fields): ReadonlyArray<string> =>
  listOf(fieldsOf(row["message"])["content"]).flatMap((block) =>
    fieldsOf(block)["type"] === "tool_result" ? (text(fieldsOf(block)["tool_use_id"]) ?? []) : []
  )

/** The rows of the branch that was gone on with last, in the order of the file. */
export const chain = (all: ReadonlyArray<Fields>, isAgent: boolean): Chain => {
  const linked = all.filter((row) => isLinked(row) && (isAgent || row["isSidechain"] !== true))
  const place = new Map(linked.map((row, at) => [text(row["uuid"]) ?? "", at]))
  const chosen = new Set<number>()
  let dangling = 0
  for (let at = linked.findLastIndex(isSaid); at !== -1 && !chosen.has(at);) {
    chosen.add(at)
    const row = linked[at] ?? {}
    const parent = text(row["parentUuid"]) ?? text(row["logicalParentUuid"])
    if (parent === undefined) break
    const before = place.get(parent)
    // A row never follows one that lies after it.
    if (before !== undefined && before < at) at = before
    else {
      // The first row of a file may go on with another file, and what was compacted may lie elsewhere.
      if (at > 0 && before === undefined && text(row["parentUuid"]) !== undefined) dangling++
      at--
    }
  }
  const messages = new Set([...chosen].flatMap((at) => text(fieldsOf(linked[at]?.["message"])["id"]) ?? []))
  for (const [at, row] of linked.entries()) {
    if (row["type"] === "assistant" && messages.has(text(fieldsOf(row["message"])["id"]) ?? "")) chosen.add(at)
  }
  const calls = new Set([...chosen].flatMap((at) => callsIn(linked[at] ?? {})))
  for (const [at, row] of linked.entries()) if (answersIn(row).some((id) => calls.has(id))) chosen.add(at)
  const rows = linked.filter((_, at) => chosen.has(at))
  return { rows, dangling, elsewhere: linked.filter((row, at) => isSaid(row) && !chosen.has(at)).length }
}

/** Rows as turns: those of one message are one turn, what lies before a summary is not shown. */
const turnsOf = (rows: ReadonlyArray<Fields>): ReadonlyArray<Fields> => {
  const summary = rows.findLastIndex(({ isCompactSummary }) => isCompactSummary === true)
  const turns: Array<Record<string, unknown>> = []
  const byMessage = new Map<string, Record<string, unknown>>()
  for (const [at, row] of rows.entries()) {
    if (!isSaid(row)) continue
    const message = fieldsOf(row["message"])
    const id = text(message["id"])
    const content =
      typeof message["content"] === "string" ? [{ type: "text", text: message["content"] }] : listOf(message["content"])
    const before = row["type"] === "assistant" && id !== undefined ? byMessage.get(id) : undefined
    if (before !== undefined) {
      before["content"] = [...listOf(before["content"]), ...content]
      before["usage"] = message["usage"]
      continue
    }
    const turn = {
      role: row["type"],
      content,
      ts: momentOf(row["timestamp"]),
      usage: message["usage"],
      ...(at < summary ? { hidden: true } : {})
    }
    turns.push(turn)
    if (row["type"] === "assistant" && id !== undefined) byMessage.set(id, turn)
  }
  return turns
}

const costOf = ({ role, ts, usage }: Fields): ReadonlyArray<unknown> => {
  if (role !== "assistant") return []
  const { cache_creation_input_tokens, cache_read_input_tokens, input_tokens, output_tokens } = fieldsOf(usage)
  const told = {
    tokensIn: input_tokens,
    tokensOut: output_tokens,
    cacheReads: cache_read_input_tokens,
    cacheWrites: cache_creation_input_tokens
  }
  return [{ ts, type: "say", say: "api_req_started", text: JSON.stringify(told) }]
}

const firstOf = (rows: ReadonlyArray<Fields>, name: string): string | undefined =>
  rows.map((row) => text(row[name])).find((value) => value !== undefined && value !== "")

/** What a person asked for first; notes of the program are no words of theirs. */
const promptOf = (rows: ReadonlyArray<Fields>): string | undefined => {
  for (const row of rows) {
    if (row["type"] !== "user" || row["isMeta"] === true || row["isCompactSummary"] === true) continue
    const { content } = fieldsOf(row["message"])
    const words =
      typeof content === "string"
        ? content
        : text(fieldsOf(listOf(content).find((block) => fieldsOf(block)["type"] === "text"))["text"])
    if (
      words !== undefined &&
      words.trim() !== "" &&
      !/^<(?:command-|local-command|system-reminder)/u.test(words.trim())
    )
      return words
  }
  return undefined
}

const noteAll = (reading: Reading, lines: Lines, { dangling, elsewhere }: Chain): void => {
  const note = (rule: string, detail: string) => void reading.notes.push({ rule, detail })
  if (lines.broken > 0) note("salvaged", `${lines.broken} of its lines cannot be read; the others were kept`)
  if (dangling > 0)
    note("reparented", `${dangling} of its lines name one that was never written; they follow the line before`)
  if (elsewhere > 0)
    note("branchesLeftOut", `${elsewhere} of its lines belong to other branches and stay where they are`)
}

export const read = (reading: Reading, id: string, source: Source): Raw => {
  const lines = reading.lines(`${source.stem}.jsonl`)
  const rows = lines.rows.map(fieldsOf)
  const isAgent = source.stem.startsWith("agent-")
  const found = chain(rows, isAgent)
  noteAll(reading, lines, found)
  const turns = turnsOf(found.rows)
  const meta = isAgent ? fieldsOf(reading.object(`${source.stem}.meta.json`, isFields, "it is no record").value) : {}
  const owner = text(meta["parentAgentId"])
  const parent = isAgent
    ? owner === undefined
      ? (source.parent ?? firstOf(rows, "sessionId"))
      : `agent-${owner}`
    : undefined
  const ended = isAgent ? lastWords(turns) : undefined
  const workspace = firstOf(found.rows, "cwd")
  const calledBy = text(meta["toolUseId"])
  const mode = rows.findLast((row) => text(row["permissionMode"]) !== undefined)?.["permissionMode"]
  const prompt = promptOf(found.rows)
  const item: Item = {
    id,
    status: ended === undefined ? "interrupted" : "completed",
    ...(prompt === undefined ? {} : { task: prompt }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(mode === "plan" ? { mode: "plan" } : {}),
    ...(parent === undefined || parent === id ? {} : { parentTaskId: parent }),
    ...(ended === undefined ? {} : { completionResultSummary: ended })
  }
  return {
    item,
    value: {
      ...meta,
      title: firstOf(rows.toReversed(), "customTitle") ?? firstOf(rows.toReversed(), "aiTitle") ?? null
    },
    isKnown: rows.length > 0,
    sent: { list: turns, whole: lines.broken === 0 },
    events: turns.flatMap(costOf),
    completion: { result: ended },
    ...(calledBy === undefined ? {} : { calledBy })
  }
}
