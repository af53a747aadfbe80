/** A call of a tool: what it did, by whose word it ran, and its output when it is opened. */
import { Names } from "@belay/interaction/unstable/view"
import { type Row, Words } from "@belay/interaction"
import { Icon } from "../parts/Icon.tsx"
import { deed, say, useOpened, useState } from "../state/store.ts"
import { Changes, Counts, FileName } from "./Changes.tsx"

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

/** They are about one file of the task's folder. */
const files = new Set(["read_file", "write_to_file", "replace_in_file", "list_code_definition_names"])

/** What is known of the files of an edit, where its lines do not say it: it leads elsewhere, or cannot be shown. */
const saysMore = ({ changes, edits }: CallRow): boolean =>
  edits.length > 0 &&
  (changes === undefined || edits.some((edit) => !/ {2}\+\d+ \u2212\d+$/u.test(edit) || edit.includes(" -> ")))

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
  const [change, second] = row.changes ?? []
  const isFile = files.has(row.name) && row.subject !== ""
  const said = facts.length === 0 ? null : <span className="muted"> · {facts.join(" · ")}</span>
  const subject = row.subject === "" ? null : <code>{row.subject}</code>
  return (
    <div className={`call ${row.state}`}>
      <div className="head">
        <button type="button" className="fold" aria-expanded={open} onClick={toggle}>
          <Icon name={open ? "chevron-down" : "chevron-right"} />
          <Icon name={icons[row.state]} />
          <span className="text">
            <span className="what">{Names.tools[row.name] ?? row.name}</span>
            {isFile ? <span className="unseen"> {row.subject}</span> : <> {subject}</>}
            {isFile ? null : said}
          </span>
        </button>
        {isFile ? (
          <span>
            <FileName path={row.subject} />
            {change === undefined || second !== undefined ? null : (
              <>
                {" "}
                <Counts of={change} />
              </>
            )}
            {said}
          </span>
        ) : null}
      </div>
      {saysMore(row) ? (
        <ul className="edits">
          {row.edits.map((edit) => (
            <li key={edit}>{edit}</li>
          ))}
        </ul>
      ) : null}
      {row.changes === undefined || row.state === "failed" ? null : (
        <Changes changes={row.changes} seq={Number(row.id.slice(1))} named={isFile} />
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
