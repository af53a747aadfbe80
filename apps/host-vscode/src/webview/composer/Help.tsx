/** What can be said here: commands, mentions and keys. It takes no focus. */
import { Icon } from "../parts/Icon.tsx"
import type { View } from "@belay/interaction"

type Entry = Pick<View.Completion, "label" | "detail">

const mentions: ReadonlyArray<Entry> = [
  { label: "@/src/a.ts", detail: "A file, a folder, or lines of a file: @/src/a.ts:10-20" },
  { label: "@problems", detail: "What the editor marks as wrong" },
  { label: "@terminal", detail: "The newest output of the terminal" },
  { label: "@git-changes", detail: "What is not committed yet" },
  { label: "@1a2b3c4", detail: "A commit" },
  { label: "@https://example.com", detail: "A web page" }
]

const keys: ReadonlyArray<Entry> = [
  { label: "Enter", detail: "Send, or queue while the task runs" },
  { label: "Shift+Enter", detail: "New line" },
  { label: "Up", detail: "In an empty message: the last queued message back, else what you said before" },
  { label: "F6", detail: "Go to the next part of the view" }
]

const Entries = ({ entries, title }: { readonly title: string; readonly entries: ReadonlyArray<Entry> }) => (
  <>
    <h2>{title}</h2>
    <dl>
      {entries.map(({ detail, label }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{detail}</dd>
        </div>
      ))}
    </dl>
  </>
)

export const Help = ({
  commands,
  onClose
}: {
  readonly commands: ReadonlyArray<View.Completion>
  readonly onClose: () => void
}) => (
  <>
    <div className="unseen" role="status">
      Help is shown above the message. Escape closes it.
    </div>
    <div className="help" role="region" aria-label="Help" tabIndex={0}>
      <button type="button" className="quiet" aria-label="Close help" onClick={onClose}>
        <Icon name="close" />
      </button>
      <Entries title="Commands" entries={commands} />
      <Entries title="Mentions" entries={mentions} />
      <Entries title="Keys" entries={keys} />
    </div>
  </>
)
