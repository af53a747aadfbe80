/** What stops the task, each in one sentence with the ways on; and how its last turn ended. */
import { type Row, type View, Words } from "@belay/interaction"
import { Items } from "@belay/interaction/unstable/view"
import { deed, say, useState } from "../state/store.ts"
import { Icon } from "./Icon.tsx"

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

const Files = ({ turn: { changed, message, ts } }: { readonly turn: Items.Turn }) =>
  changed === undefined ? null : (
    <div className="buttons">
      <button
        type="button"
        className="secondary"
        onClick={() => say({ type: "moment", what: "compareSince", message: changed.message, ts })}
      >
        <Icon name="diff" /> Show changes
      </button>
      {message === undefined ? null : (
        <button
          type="button"
          className="secondary"
          onClick={() => say({ type: "moment", what: "restoreFiles", message, ts })}
        >
          <Icon name="discard" /> Undo…
        </button>
      )}
    </div>
  )

/** The turn is over: how long it took, what it cost, what it changed. Nothing of it waits for an answer. */
const Done = ({ bar, rows }: { readonly bar: View.Bar; readonly rows: ReadonlyArray<Row.Row> }) => {
  const turn = Items.lastTurn(rows)
  const facts = [
    ...(turn.ms < 1000 ? [] : [Words.duration(turn.ms)]),
    ...(turn.changed === undefined ? [] : [turn.changed.text])
  ]
  return (
    <section className="bar done" aria-label="Done">
      <p>
        <Icon name="pass" /> {[bar.text, ...facts].join(" · ")}
      </p>
      <Files turn={turn} />
      <Buttons buttons={bar.buttons} />
    </section>
  )
}

export const Bars = () => {
  const bars = useState((state) => state.header?.bars)
  const notice = useState((state) => state.notice)
  const rows = useState((state) => state.rows)
  return (
    <>
      {notice === undefined ? null : (
        <section className="bar info" aria-label="Notice">
          <p>{notice}</p>
        </section>
      )}
      {(bars ?? []).map((bar) =>
        bar.tone === "done" ? (
          <Done key={bar.text} bar={bar} rows={rows} />
        ) : (
          <section
            key={bar.text}
            className={`bar ${bar.tone}`}
            aria-label={bar.tone === "warning" ? "Stopped" : "State"}
          >
            <p title={bar.text}>
              <Icon name={bar.tone === "warning" ? "warning" : "comment"} />{" "}
              {(bar.isError === true ? Items.lastError(rows) : undefined) ?? bar.text}
            </p>
            <Buttons buttons={bar.buttons} />
          </section>
        )
      )}
    </>
  )
}
