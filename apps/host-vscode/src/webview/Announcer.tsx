/** Tells a screen reader what ended and how the task stands, and at once when something asks. */
import { useEffect, useRef, useState as useLocal } from "react"
import * as announcements from "./announcements.ts"
import { useState } from "./store.ts"

const isMac = /Mac/u.test(navigator.userAgent)

export const Announcer = () => {
  const state = useState((all) => all)
  const [polite, setPolite] = useLocal("")
  const before = useRef(state)
  useEffect(() => {
    const text = announcements.of(before.current, state)
    before.current = state
    if (text !== "") setPolite(text)
  }, [state])
  return (
    <div className="unseen">
      <div role="status" aria-live="polite">
        {polite}
      </div>
      <div role="alert">{announcements.ofAsk(state, isMac)}</div>
    </div>
  )
}
