/** Tells a screen reader what ended and how the task stands, and at once when something asks. */
import { Announcements } from "@belay/interaction/unstable/view"
import { useEffect, useRef, useState as useLocal } from "react"
import { now, useState } from "../state/store.ts"

const isMac = /Mac/u.test(navigator.userAgent)

export const Announcer = () => {
  const rows = useState((state) => state.rows)
  const header = useState((state) => state.header)
  const ask = useState((state) => Announcements.ofAsk(state, isMac))
  const [polite, setPolite] = useLocal("")
  const before = useRef(now())
  // Of all that is told, nothing else is announced.
  useEffect(() => {
    const state = now()
    const text = Announcements.of(before.current, state)
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
