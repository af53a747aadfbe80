/** The answer that is arriving, or what is waited for. */
import { Words } from "@belay/interaction"
import { useEffect, useMemo, useRef, useState as useLocal } from "react"
import { blank, print } from "../state/arriving.ts"
import { Boundary } from "../parts/Boundary.tsx"
import { ArrivingMarkdown } from "../parts/Markdown.tsx"
import { deed, useState } from "../state/store.ts"
import { AsText } from "./ItemRow.tsx"

/** Seconds after which it is said that it takes long. */
const long = 20

const isStill = (): boolean =>
  document.body.classList.contains("vscode-reduce-motion") ||
  document.body.classList.contains("vscode-using-screen-reader")

const Waiting = () => {
  const [seconds, setSeconds] = useLocal(0)
  const last = useState((state) => state.rows.length)
  useEffect(() => {
    setSeconds(0)
    if (isStill()) return undefined
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000)
    return () => clearInterval(timer)
  }, [last])
  const time = seconds === 0 ? "" : ` · ${Words.duration(seconds * 1000)}`
  return (
    <p className="muted waiting">
      {seconds < long ? `Waiting for the model${time}` : `Still waiting${time}. The service has not answered yet.`}
    </p>
  )
}

/** The service is asked again by itself, and at once where a person wants it. */
const Outage = () => {
  const text = useState((state) => state.progress)
  const until = useState((state) => state.until) ?? 0
  const [now, setNow] = useLocal(Date.now)
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), isStill() ? 10_000 : 1000)
    return () => clearInterval(timer)
  }, [until])
  const left = Math.max(0, until - now)
  return (
    <div className="bar warning" data-testid="outage">
      <p>
        {text} <span aria-hidden="true">Next try {left === 0 ? "now" : `in ${Words.duration(left)}`}.</span>
      </p>
      <button type="button" className="secondary" onClick={() => deed("tryNow")}>
        Try now
      </button>
    </div>
  )
}

export const Live = () => {
  const live = useState((state) => state.live)
  const progress = useState((state) => state.progress)
  const until = useState((state) => state.until)
  const answer = useState((state) => state.answer)
  const printed = useRef(blank)
  const { text } = useMemo(() => (printed.current = print(printed.current, live)), [live])
  if (text.trim() !== "") {
    return (
      <div
        role="article"
        className="row said live"
        aria-busy="true"
        aria-label="Assistant, is writing"
        data-testid="live"
      >
        <div className="who">Assistant</div>
        <Boundary instead={() => <AsText />}>
          <ArrivingMarkdown text={text} />
        </Boundary>
      </div>
    )
  }
  if (progress !== "") return until === null ? <p className="bar warning">{progress}</p> : <Outage />
  if (answer === "streaming") return <p className="muted waiting">The model is answering</p>
  return answer === "waiting" ? <Waiting /> : null
}
