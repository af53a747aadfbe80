/** Moments of a conversation that a person can compare with, go back to, or branch from. */
import { Items } from "@belay/interaction/unstable/view"
import type { Row, View } from "@belay/interaction"
import { useId, useState as useLocal } from "react"
import { deed, say, useState } from "../state/store.ts"
import { Icon } from "../parts/Icon.tsx"
import { clock } from "../state/clock.ts"

type Of<Kind extends Row.Row["kind"]> = Row.Row & { readonly kind: Kind }

interface Action {
  readonly what: View.Moment
  readonly title: string
  readonly message: number
}

/** The conversation of a task that is complete stays as it is. */
const goingBack = (message: number, isComplete: boolean): ReadonlyArray<Action> => [
  { what: "restoreFiles", title: "Restore files…", message },
  ...(isComplete ? [] : [{ what: "restore", title: "Restore files and conversation…", message } as const]),
  { what: "branch", title: "Branch a new task from here…", message }
]

const comparing = (message: number): ReadonlyArray<Action> => [
  { what: "compareNow", title: "Compare with now", message },
  { what: "compareTurn", title: "Compare with before this turn", message }
]

const Actions = ({
  actions,
  id,
  ts
}: {
  readonly actions: ReadonlyArray<Action>
  readonly id: string
  readonly ts: number
}) => (
  <div className="buttons" id={id}>
    {actions.map(({ message, title, what }) => (
      <button key={what} type="button" className="secondary" onClick={() => say({ type: "moment", what, message, ts })}>
        {title}
      </button>
    ))}
  </div>
)

/** Where a person said something. */
export const Said = ({ message, ts }: { readonly message: number; readonly ts: number }) => {
  const [open, setOpen] = useLocal(false)
  const isComplete = useState((state) => state.header?.done === true)
  const id = useId()
  return (
    <div className="moment">
      <button
        type="button"
        className="quiet"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label="Go back to this message"
        title="Go back to this message"
        onClick={() => setOpen(!open)}
      >
        <Icon name="discard" />
      </button>
      {open ? <Actions id={id} ts={ts} actions={goingBack(message, isComplete)} /> : null}
    </div>
  )
}

/** Files as a turn left them. */
export const Checkpoint = ({ row }: { readonly row: Of<"checkpoint"> }) => {
  const [open, setOpen] = useLocal(false)
  const isComplete = useState((state) => state.header?.done === true)
  const id = useId()
  return (
    <>
      <div className="line">
        <p className="note quiet">
          <Icon name="history" /> {row.text} · <time dateTime={new Date(row.ts).toISOString()}>{clock(row.ts)}</time>
        </p>
        <button
          type="button"
          className="quiet"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        >
          Compare or restore
        </button>
      </div>
      {open ? (
        <Actions id={id} ts={row.ts} actions={[...comparing(row.message), ...goingBack(row.to, isComplete)]} />
      ) : null}
    </>
  )
}

/** What went back, and back again as long as nothing has followed it. */
export const Restored = ({ row }: { readonly row: Of<"restored"> }) => {
  const isLast = useState((state) => Items.canUndo(state.rows, row))
  return (
    <div className="line">
      <p className="note quiet">
        <Icon name="discard" /> {row.text}
      </p>
      {isLast ? (
        <button type="button" className="secondary" onClick={() => deed("undoRestore")}>
          Undo restore
        </button>
      ) : null}
    </div>
  )
}
