/** What a screen reader is told: at the end of an answer and when the state changes, and at once when something asks. */
import { useEffect, useRef, useState as useLocal } from "react"
import { now, useState } from "./store.ts"

const spoken = 300

/** The last answer or result, and the state, in words. */
const sentence = (): string => {
  const { header, rows } = now()
  const last = rows.findLast((row) => (row.kind === "said" && row.by === "assistant") || row.kind === "result")
  const text = last !== undefined && "text" in last ? last.text : ""
  return `${header?.label ?? ""}. ${text.slice(0, spoken)}`
}

export const Announcer = () => {
  const label = useState((state) => state.header?.label)
  const answers = useState(
    (state) => state.rows.findLast((row) => row.kind === "said" && row.by === "assistant")?.id ?? ""
  )
  const ask = useState((state) => state.asks[0])
  const title = useState((state) => state.header?.title)
  const [polite, setPolite] = useLocal("")
  const first = useRef(true)
  useEffect(() => {
    // What was there when the view began is read by whoever looks at it.
    if (first.current) first.current = false
    else setPolite(sentence())
  }, [label, answers])
  return (
    <div className="unseen">
      <div role="status" aria-live="polite">
        {polite}
      </div>
      <div role="alert">{ask === undefined ? "" : `Needs you: ${ask.heading}, in ${title ?? ""}.`}</div>
    </div>
  )
}
