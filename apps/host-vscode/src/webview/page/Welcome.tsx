/** What is there before there is a task: where to begin, and what is still open. */
import type { View } from "@belay/interaction"
import { Buttons } from "../parts/Bars.tsx"
import { Sign } from "../parts/Header.tsx"
import { deed } from "../state/store.ts"

const names: Partial<Record<View.Deed, string>> = { resume: "Resume", stop: "Stop" }

const Recent = ({ line }: { readonly line: View.Line }) => {
  const next = line.deeds.find((one) => one === "resume")
  return (
    <li>
      <button type="button" className="link" onClick={() => deed("openTask", line.id)}>
        {line.title}
      </button>
      <Sign line={line} />
      {next === undefined ? null : (
        <button
          type="button"
          className="secondary"
          aria-label={`${names[next]} ${line.title}`}
          onClick={() => deed(next, line.id)}
        >
          {names[next]}
        </button>
      )}
    </li>
  )
}

export const Welcome = ({ welcome }: { readonly welcome: View.Welcome }) => (
  <main className="welcome" data-region="feed" tabIndex={-1}>
    <h1>{welcome.text}</h1>
    <Buttons buttons={welcome.buttons} />
    {welcome.recent.length === 0 ? null : (
      <section aria-label="Open tasks">
        <h2>Open tasks</h2>
        <ul>
          {welcome.recent.map((line) => (
            <Recent key={line.id} line={line} />
          ))}
        </ul>
      </section>
    )}
  </main>
)
