/** The checklist of the shown task in one line that opens: how far it is, and the item that is next. */
import type { View } from "@belay/interaction"
import { Icon } from "../parts/Icon.tsx"
import { deed, useOpened, useState } from "../state/store.ts"

const signs = { done: "check", doing: "play-circle", open: "circle-outline" } as const
const words = { done: "done: ", doing: "in progress: ", open: "" } as const

const Item = ({ item: { state, text } }: { readonly item: View.ListItem }) => (
  <li className={state}>
    <Icon name={signs[state]} />
    <span>
      <span className="unseen">{words[state]}</span>
      {text}
    </span>
  </li>
)

export const Checklist = () => {
  const header = useState((state) => state.header)
  const [open, toggle] = useOpened("checklist")
  const items = header?.list ?? []
  if (header?.checklist === undefined) return null
  const next = items.find(({ state }) => state === "doing") ?? items.find(({ state }) => state === "open")
  return (
    <section className="checklist" aria-label="Checklist">
      <button type="button" className="fold" aria-expanded={open} onClick={toggle}>
        <Icon name={open ? "chevron-down" : "chevron-right"} />
        <span className="what">Checklist {header.checklist}</span>
        {open || next === undefined ? null : <span className="next muted">{next.text}</span>}
      </button>
      {open ? (
        <>
          <ul>
            {items.map((item, at) => (
              <Item key={`${at} ${item.text}`} item={item} />
            ))}
          </ul>
          <button type="button" className="link" onClick={() => deed("openChecklist")}>
            Edit the checklist
          </button>
        </>
      ) : null}
    </section>
  )
}
