/** Tells a screen reader what ended and how the task stands, and at once when something asks. */
import { useEffect, useRef, useState as useLocal } from "react"
import * as announcements from "../state/announcements.ts"
import { now, useState } from "../state/store.ts"

const isMac = /Mac/u.test(navigator.userAgent)

export const Announcer = () => {
  const rows = useState((state) => state.rows)
  const header = useState((state) => state.header)
  const ask = useState((state) => announcements.ofAsk(state, isMac))
  const [polite, setPolite] = useLocal("")
  const before = useRef(now())
  // Of all that is told, nothing else is announced.
  useEffect(() => {
    const state = now()
    const text = announcements.of(before.current, state)
    before.current = state
    if (text !== "") setPolite(text)
  }, [rows, header])
  return (
    <div className="unseen">
      <div role="status" aria-live="polite">
        {polite}
      </div>
      <div role="alert">{ask}</div>
    </div>
  )
}
