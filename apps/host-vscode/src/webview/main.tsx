/** The view's script. */
import { useEffect, useRef } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./App.tsx"
import { Boundary } from "./parts/Boundary.tsx"
import { begun, deed, say, start, useState } from "./state/store.ts"

/** Says what has been shown, also when that is no more than that it could not be. */
const Shown = () => {
  const n = useState((state) => state.n)
  useEffect(() => {
    if (n === 0) return
    begun()
    say({ type: "shown", n })
  }, [n])
  return null
}

/** The task is not affected, and can be read and answered elsewhere. What the host tells anew is shown again. */
const Failed = ({ again }: { readonly again: () => void }) => {
  const begun = useState((state) => state.begun)
  const first = useRef(begun)
  useEffect(() => {
    if (begun !== first.current) again()
  }, [begun])
  return (
    <main className="bar warning">
      <h1 className="unseen">Belay task</h1>
      <p role="alert">This task could not be shown. It is not affected.</p>
      <div className="buttons">
        <button type="button" className="primary" onClick={() => say({ type: "ready" })}>
          Show again
        </button>
        <button type="button" className="secondary" onClick={() => deed("openTranscriptAsText")}>
          Show as text
        </button>
      </div>
    </main>
  )
}

const root = document.querySelector("#root")
if (root !== null) {
  // What was heard already is the first picture.
  start()
  createRoot(root).render(
    <>
      <Boundary instead={(again) => <Failed again={again} />}>
        <App />
      </Boundary>
      <Shown />
    </>
  )
}
