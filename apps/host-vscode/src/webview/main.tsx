/** The view's script. */
import { createRoot } from "react-dom/client"
import { App } from "./App.tsx"
import { start } from "./store.ts"

const root = document.querySelector("#root")
if (root !== null) {
  createRoot(root).render(<App />)
  start()
}
