/** What a row shows, by its kind. */
import { Names } from "@belay/interaction/unstable/view"
import type { Row } from "@belay/interaction"
import { Icon } from "../parts/Icon.tsx"
import { Markdown } from "../parts/Markdown.tsx"
import { Picture } from "../parts/Picture.tsx"
import { deed, useOpened, useState } from "../state/store.ts"
import { Call } from "./Call.tsx"
import * as Moments from "./Moments.tsx"
import { Subtasks } from "./Subtasks.tsx"
import { clock } from "../state/clock.ts"

type Of<Kind extends Row.Row["kind"]> = Row.Row & { readonly kind: Kind }

const Head = ({ name, ts }: { readonly name: string; readonly ts: number }) => (
  <div className="who">
    <span>{name}</span>
    <time dateTime={new Date(ts).toISOString()}>{clock(ts)}</time>
  </div>
)

const Said = ({ row }: { readonly row: Of<"said"> }) => (
  <>
    <Head name={Names.speakers[row.by]} ts={row.ts} />
    {row.by === "assistant" ? <Markdown text={row.text} /> : <div className="plain">{row.text}</div>}
    {(row.pictures ?? []).map((of, at) => (
      <Picture key={of} of={of} name={`Image ${at + 1}`} />
    ))}
    {row.cut === undefined ? null : (
      <button type="button" className="link" onClick={() => deed("openTranscriptAsText")}>
        {row.cut} more characters: show as text
      </button>
    )}
    {row.by === "you" && row.message !== undefined ? <Moments.Said message={row.message} ts={row.ts} /> : null}
  </>
)

/** What few people read: one line until it is opened. */
const Folded = ({ id, name, text }: { readonly id: string; readonly name: string; readonly text: string }) => {
  const [open, toggle] = useOpened(id)
  return (
    <>
      <button type="button" className="fold muted" aria-expanded={open} onClick={toggle}>
        <Icon name={open ? "chevron-down" : "chevron-right"} /> {name}
      </button>
      {open ? <div className="plain muted">{text}</div> : null}
    </>
  )
}

const Question = ({ row }: { readonly row: Of<"question"> }) => {
  const waits = useState((state) => state.asks.some(({ askId }) => `a${askId}` === row.id))
  // Where it is answered it stands whole.
  if (waits) return <p className="note quiet">{Names.asks[row.ask] ?? "Question"}: it waits for you below.</p>
  return <Answered row={row} />
}

const Answered = ({ row }: { readonly row: Of<"question"> }) => (
  <>
    <Head name={Names.asks[row.ask] ?? "Question"} ts={row.ts} />
    <div className="card">
      <Markdown text={row.text} />
      {row.options.length === 0 ? null : (
        <ol>
          {row.options.map((option) => (
            <li key={option}>{option}</li>
          ))}
        </ol>
      )}
      {row.answer === undefined ? null : <p className="muted">{row.answer}</p>}
    </div>
  </>
)

const tones = { quiet: "", warning: "warning", error: "error" } as const

export const RowBody = ({ row }: { readonly row: Row.Row }) => {
  switch (row.kind) {
    case "said":
      return row.by === "notice" ? (
        <Folded id={row.id} name={Names.speakers.notice} text={row.text} />
      ) : (
        <Said row={row} />
      )
    case "thinking":
      return <Folded id={row.id} name="Thinking" text={row.text} />
    case "call":
      return <Call row={row} />
    case "subtasks":
      return <Subtasks list={row.children} />
    case "question":
      return <Question row={row} />
    case "note":
      return (
        <p className={`note ${row.tone}`}>
          {tones[row.tone] === "" ? null : (
            <>
              <Icon name={tones[row.tone]} />{" "}
            </>
          )}
          {row.text}
        </p>
      )
    case "checkpoint":
      return <Moments.Checkpoint row={row} />
    case "restored":
      return <Moments.Restored row={row} />
    case "result":
      return (
        <>
          <Head name={Names.outcomes[row.outcome]} ts={row.ts} />
          <div className="card">
            <Markdown text={row.text} />
          </div>
        </>
      )
  }
}
