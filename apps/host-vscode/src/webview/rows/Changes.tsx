/** What an edit changes, a few lines of each file; a name opens its file. */
import { type Row } from "@belay/interaction"
import { Icon } from "../parts/Icon.tsx"
import { say } from "../state/store.ts"

type Change = NonNullable<Row.Call["changes"]>[number]

const words = { " ": "", "-": "Removed: ", "+": "Added: " } as const
const kinds = { " ": "same", "-": "gone", "+": "come" } as const

/** Each part of a path as it is, whatever it has of signs that say something in a link. */
const linkOf = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

/** A file of the task's folder. */
export const FileName = ({ path }: { readonly path: string }) => (
  <button
    type="button"
    className="link file"
    title={`Open ${path}`}
    onClick={() => say({ type: "link", target: linkOf(path) })}
  >
    {path}
  </button>
)

const counts = ({ added, removed }: Change): string =>
  [...(added === 0 ? [] : [`+${added}`]), ...(removed === 0 ? [] : [`−${removed}`])].join(" ")

export const Counts = ({ of }: { readonly of: Change }) =>
  counts(of) === "" ? null : <span className="muted counts">{counts(of)}</span>

/** `seq`: the event that asked for the edit. */
const Lines = ({ of, seq }: { readonly of: Change; readonly seq: number }) => {
  if (of.lines.length === 0 && of.left === 0) return null
  return (
    <div className="diff">
      {of.lines.length === 0 ? null : (
        <pre tabIndex={0} role="region" aria-label={`Change of ${of.path}`}>
          {of.lines.map(({ op, text }, at) => (
            // Lines have no names but their places.
            // oxlint-disable-next-line react/no-array-index-key
            <span key={at} className={`line-${kinds[op]}`}>
              <span className="op" aria-hidden="true">
                {op}
              </span>
              <span className="unseen">{words[op]}</span>
              {text}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
      {of.left === 0 ? null : (
        <button type="button" className="fold muted" onClick={() => say({ type: "edit", seq })}>
          <Icon name="ellipsis" /> {of.left} more line{of.left === 1 ? "" : "s"}
        </button>
      )}
    </div>
  )
}

/** `named`: the file stands above. */
export const Changes = (of: {
  readonly changes: ReadonlyArray<Change>
  readonly seq: number
  readonly named: boolean
}) => (
  <div className="changes">
    {of.changes.map((change) => (
      <div key={change.path}>
        {of.named ? null : (
          <div className="line-of-file">
            <FileName path={change.path} /> <Counts of={change} />
          </div>
        )}
        <Lines of={change} seq={of.seq} />
      </div>
    ))}
  </div>
)
