/** A call of a tool: what it did, by whose word it ran, and its output when it is opened. */
import { Names } from "@belay/interaction/unstable/view"
import { type Row, Words } from "@belay/interaction"
import { Icon } from "../parts/Icon.tsx"
import { deed, say, useOpened, useState } from "../state/store.ts"

type CallRow = Row.Row & { readonly kind: "call" }

const icons = {
  requested: "circle-outline",
  running: "sync~spin",
  done: "check",
  failed: "error",
  denied: "circle-slash",
  timedOut: "error",
  stopped: "debug-stop",
  unknown: "question"
} as const

/** In the root of the task's folder. */
const planFile = "implementation_plan.md"

const Output = ({ row }: { readonly row: CallRow }) => {
  const running = useState((state) => state.output[row.id])
  const text = row.state === "running" ? (running ?? "") : row.output
  const { left, seq } = row
  if (text === "") return <p className="muted">No output.</p>
  return (
    <>
      <pre className="output" tabIndex={0} role="region" aria-label="Output">
        {text}
      </pre>
      {left === undefined || seq === undefined ? null : (
        <button type="button" className="link" onClick={() => say({ type: "output", seq })}>
          Show the whole output
        </button>
      )}
    </>
  )
}

export const Call = ({ row }: { readonly row: CallRow }) => {
  const [open, toggle] = useOpened(row.id)
  const took = row.ms === undefined || row.ms < 1000 ? [] : [Words.duration(row.ms)]
  const facts = [
    ...(row.state === "done" ? [] : [Names.callStates[row.state]]),
    ...took,
    ...(row.decided === undefined ? [] : [row.decided]),
    ...(row.state === "failed" && !open ? [row.output.split("\n")[0]?.slice(0, 160) ?? ""] : [])
  ].filter((fact) => fact !== "")
  return (
    <div className={`call ${row.state}`}>
      <button type="button" className="fold" aria-expanded={open} onClick={toggle}>
        <Icon name={open ? "chevron-down" : "chevron-right"} /> <Icon name={icons[row.state]} />{" "}
        <span className="what">{Names.tools[row.name] ?? row.name}</span>{" "}
        {row.subject === "" ? null : <code>{row.subject}</code>}
        {facts.length === 0 ? null : <span className="muted"> · {facts.join(" · ")}</span>}
      </button>
      {row.edits.length === 0 ? null : (
        <ul className="edits">
          {row.edits.map((edit) => (
            <li key={edit}>{edit}</li>
          ))}
        </ul>
      )}
      {row.name === "save_plan" && row.state === "done" ? (
        <button type="button" className="link" onClick={() => say({ type: "link", target: planFile })}>
          {planFile}
        </button>
      ) : null}
      {row.name === "execute_command" && row.state === "running" ? (
        <button type="button" className="link" onClick={() => deed("showCommands")}>
          Show in a terminal
        </button>
      ) : null}
      {open && row.args !== undefined ? (
        <pre className="output" tabIndex={0} role="region" aria-label="Arguments">
          {row.args}
        </pre>
      ) : null}
      {open ? <Output row={row} /> : null}
    </div>
  )
}
