/** Subtasks that began together, each as it stands now, with its ways on. */
import type { View } from "@belay/interaction"
import { Sign } from "../parts/Header.tsx"
import { deed, useState } from "../state/store.ts"
import * as calls from "./calls.ts"

const titles: Partial<Record<View.Deed, string>> = {
  stop: "Stop",
  resume: "Resume",
  abandonSubtask: "Abandon…",
  restartSubtask: "Restart…"
}

const Subtask = ({ child, title }: { readonly child: View.Line | undefined; readonly title: string }) => {
  if (child === undefined) return <li>{title} · Its state is not known.</li>
  const called = child.title === "" ? title : child.title
  const waits = child.state === "interrupted" && child.deeds.includes("abandonSubtask")
  return (
    <li data-task={child.id}>
      <div className="line">
        <span className="name">{called}</span>
        <Sign line={child} />
        {child.checklist === undefined ? null : <span>{child.checklist}</span>}
        <span>{child.cost}</span>
      </div>
      {child.detail === "" ? null : <p className="muted">{child.detail}</p>}
      {child.released === undefined ? null : <p className="muted">{child.released}</p>}
      {waits ? <p className="muted">This task waits for its result.</p> : null}
      <div className="buttons">
        {child.state === "unreadable" ? null : (
          <button
            type="button"
            className="secondary"
            aria-label={`Open ${called}`}
            onClick={() => deed("openTask", child.id)}
          >
            Open
          </button>
        )}
        {child.deeds.map((one) =>
          titles[one] === undefined ? null : (
            <button
              key={one}
              type="button"
              className={one === "resume" ? "primary" : "secondary"}
              aria-label={`${titles[one]} ${called}`}
              onClick={() => deed(one, child.id)}
            >
              {titles[one]}
            </button>
          )
        )}
      </div>
    </li>
  )
}

export const Subtasks = ({ list }: { readonly list: calls.Begun }) => {
  const children = useState((state) => state.header?.children)
  return (
    <div role="group" className="card subtasks" aria-label="Subtasks">
      <h2>
        Subtasks · {calls.reported(list, children)} of {list.length} reported
      </h2>
      <ul>
        {list.map(({ id, title }) => (
          <Subtask key={id} child={children?.[id]} title={title} />
        ))}
      </ul>
    </div>
  )
}
