/** What can be chosen for what is being typed; the focus stays in the text. */
import type { List } from "./completion.ts"

export const listId = "suggestions"
export const optionId = (at: number): string => `suggestion-${at}`

export const Suggestions = ({
  list,
  onTake
}: {
  readonly list: List | undefined
  readonly onTake: (at: number) => void
}) => (
  <>
    <div className="unseen" role="status">
      {list === undefined ? "" : `${list.items.length} suggestion${list.items.length === 1 ? "" : "s"}`}
    </div>
    {list === undefined ? null : (
      <ul className="suggestions" id={listId} role="listbox" aria-label="Suggestions">
        {list.items.map(({ detail, insert, label }, at) => (
          <li
            key={insert}
            id={optionId(at)}
            role="option"
            aria-selected={at === list.active}
            onMouseDown={(event) => {
              event.preventDefault()
              onTake(at)
            }}
          >
            <span className="label">{label}</span> <span className="detail">{detail}</span>
          </li>
        ))}
      </ul>
    )}
  </>
)
