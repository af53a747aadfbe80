/** What stops the task, each in one sentence with the ways on. */
import type { View } from "@belay/interaction"
import { deed, useState } from "../state/store.ts"

export const Buttons = ({ buttons }: { readonly buttons: ReadonlyArray<View.Button> }) =>
  buttons.length === 0 ? null : (
    <div className="buttons">
      {buttons.map((button) => (
        <button
          key={`${button.title} ${button.on ?? ""}`}
          type="button"
          className={button.primary === true ? "primary" : "secondary"}
          onClick={() => deed(button.deed, button.on)}
        >
          {button.title}
        </button>
      ))}
    </div>
  )

export const Bars = () => {
  const bars = useState((state) => state.header?.bars)
  const notice = useState((state) => state.notice)
  return (
    <>
      {notice === undefined ? null : (
        <section className="bar info" aria-label="Notice">
          <p>{notice}</p>
        </section>
      )}
      {(bars ?? []).map((bar) => (
        <section key={bar.text} className={`bar ${bar.tone}`} aria-label={bar.tone === "warning" ? "Stopped" : "State"}>
          <p>{bar.text}</p>
          <Buttons buttons={bar.buttons} />
        </section>
      ))}
    </>
  )
}
