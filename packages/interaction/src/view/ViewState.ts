/** What a view shows, from what it was told: pure. A number that is missing makes it ask for everything anew. */
import type * as Row from "../conversation/Row.ts"
import type * as View from "../conversation/View.ts"

/** All that a view shows. */
export interface State extends View.Whole {
  readonly task: string | null
  /** The number of the last message; 0 before the first. */
  readonly n: number
  /** How often it began anew. */
  readonly begun: number
  readonly rows: ReadonlyArray<Row.Row>
  readonly earlier: number | undefined
  /** The answer that is arriving. */
  readonly live: string
  /** Of the request that is under way. */
  readonly answer: View.Answering | null
  readonly progress: string
  /** When what is waited for is tried again. */
  readonly until: number | null
  /** Output of calls that run, by the ids of their rows. */
  readonly output: Readonly<Record<string, string>>
  /** What was begun before, when the view began. */
  readonly draft: string
  readonly notice: string | undefined
  /** A number is missing. */
  readonly gap: boolean
  /** Rows that were put before all others, since the last change. */
  readonly prepended: boolean
  /** Where the person went to: a message, until another one. */
  readonly reveal: { readonly message: number } | undefined
}

/** Before the first message. */
export const initial: State = {
  task: null,
  n: 0,
  begun: 0,
  header: null,
  welcome: null,
  asks: [],
  queued: [],
  pictures: [],
  rows: [],
  earlier: undefined,
  live: "",
  answer: null,
  progress: "",
  until: null,
  output: {},
  draft: "",
  notice: undefined,
  gap: false,
  prepended: false,
  reveal: undefined
}

/** Characters of a running call's output that are shown. */
const outputLongest = 4000

type Snapshot = Extract<View.ToView, { readonly type: "snapshot" }>
type Change = Extract<View.ToView, { readonly type: "change" }>
type Page = Extract<View.ToView, { readonly type: "page" }>

/** Rows in their places, new ones at the end. */
const put = (rows: ReadonlyArray<Row.Row>, news: ReadonlyArray<Row.Row>): ReadonlyArray<Row.Row> => {
  const found = new Map(news.map((row) => [row.id, row]))
  // What changes is mostly near the end.
  const all = [...rows]
  for (let index = all.length - 1; index >= 0 && found.size > 0; index -= 1) {
    const id = all[index]?.id ?? ""
    const row = found.get(id)
    if (row === undefined) continue
    all[index] = row
    found.delete(id)
  }
  return [...all, ...found.values()]
}

const begun = (state: State, message: Snapshot): State => ({
  ...initial,
  begun: state.begun + 1,
  task: message.task,
  n: message.n,
  header: message.header,
  welcome: message.welcome,
  asks: message.asks,
  queued: message.queued,
  pictures: message.pictures,
  rows: message.rows,
  earlier: message.earlier,
  live: message.live,
  answer: message.answer ?? null,
  progress: message.progress ?? "",
  until: message.until ?? null,
  output: Object.fromEntries((message.output ?? []).map(({ id, text }) => [id, text])),
  draft: message.draft,
  notice: message.notice
})

const outputOf = (output: State["output"], { output: news = [], rows = [] }: Change): State["output"] => {
  if (news.length === 0 && rows.length === 0) return output
  const next: Record<string, string> = { ...output }
  for (const { id, text } of news) next[id] = `${next[id] ?? ""}${text}`.slice(-outputLongest)
  for (const row of rows) if (row.kind === "call" && row.state !== "running") delete next[row.id]
  return next
}

/** A wait is over as soon as something happens. */
const untilOf = ({ until }: State, { answer = null, live, progress, rows = [], until: next = null }: Change) =>
  progress !== undefined ? next : live === undefined && rows.length === 0 && answer === null ? until : null

const changed = (state: State, message: Change): State => {
  const { asks, header, live, pictures, progress, queued, rows = [], welcome } = message
  const text = live === undefined ? state.live : live.whole ? live.text : state.live + live.text
  return {
    ...state,
    n: message.n,
    header: header === undefined ? state.header : header,
    welcome: welcome === undefined ? state.welcome : welcome,
    asks: asks ?? state.asks,
    queued: queued ?? state.queued,
    pictures: pictures ?? state.pictures,
    rows: rows.length === 0 ? state.rows : put(state.rows, rows),
    live: text,
    answer: message.answer === undefined ? state.answer : message.answer,
    progress: progress ?? (text === "" && rows.length === 0 ? state.progress : ""),
    until: untilOf(state, message),
    output: outputOf(state.output, message),
    prepended: false,
    reveal: message.reveal === undefined ? state.reveal : { message: message.reveal }
  }
}

const paged = (state: State, message: Page): State => {
  const known = new Set(state.rows.map(({ id }) => id))
  return {
    ...state,
    n: message.n,
    rows: [...message.rows.filter(({ id }) => !known.has(id)), ...state.rows],
    earlier: message.earlier,
    prepended: true
  }
}

/** The messages that change a state; they are numbered without a gap. */
export type Numbered = Snapshot | Change | Page

/** The state after a message. */
export const reduce = (state: State, message: Numbered): State => {
  if (message.type === "snapshot") return begun(state, message)
  // What came before the first snapshot, or is about another task, is nothing to build on.
  if (message.task !== state.task || message.n !== state.n + 1) return { ...state, gap: true }
  if (state.gap) return state
  return message.type === "change" ? changed(state, message) : paged(state, message)
}
