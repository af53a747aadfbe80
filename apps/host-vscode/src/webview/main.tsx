/** The view's script. */
import { createRoot } from "react-dom/client"
import { App } from "./App.tsx"
import { Boundary } from "./Boundary.tsx"
import { deed, say, start } from "./store.ts"

/** The task is not affected, and can be read and answered elsewhere. */
const failed = (again: () => void) => (
  <div className="bar warning">
    <p>This task could not be shown. It is not affected.</p>
    <div className="buttons">
      <button
        type="button"
        className="primary"
        onClick={() => {
          say({ type: "ready" })
          again()
        }}
      >
        Show again
      </button>
      <button type="button" className="secondary" onClick={() => deed("openTranscriptAsText")}>
        Show as text
      </button>
    </div>
  </div>
)

const root = document.querySelector("#root")
if (root !== null) {
  createRoot(root).render(
    <Boundary instead={failed}>
      <App />
    </Boundary>
  )
  start()
}
