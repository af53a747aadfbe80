/** One entry of the conversation; one that cannot be shown leaves the others alone. */
import { Items, Names } from "@belay/interaction/unstable/view"
import { memo, useMemo } from "react"
import { Boundary } from "../parts/Boundary.tsx"
import { deed, useOpened } from "../state/store.ts"
import { Icon } from "../parts/Icon.tsx"
import { Call } from "./Call.tsx"
import { RowBody } from "./RowBody.tsx"
import { clock } from "../state/clock.ts"

/** In the place of an entry that cannot be shown. */
export const AsText = () => (
  <p className="note">
    This entry could not be shown.{" "}
    <button type="button" className="link" onClick={() => deed("openTranscriptAsText")}>
      Show as text
    </button>
  </p>
)

const Reads = ({ calls, id }: Items.Item & { readonly kind: "reads" }) => {
  const [open, toggle] = useOpened(id)
  return (
    <div className="reads">
      <button type="button" className="fold" aria-expanded={open} onClick={toggle}>
        <Icon name={open ? "chevron-down" : "chevron-right"} /> {Items.summary(calls)}
      </button>
      {open ? calls.map((call) => <Call key={call.id} row={call} />) : null}
    </div>
  )
}

interface Props {
  readonly item: Items.Item
  /** From 1. */
  readonly at: number
  /** -1: it is not known. */
  readonly of: number
  /** A person looked for it. */
  readonly isFound: boolean
}

const isSame = (left: Items.Item, right: Items.Item): boolean =>
  left.id === right.id &&
  (left.kind === "row"
    ? right.kind === "row" && left.row === right.row
    : right.kind === "reads" && left.calls.length === right.calls.length)

const isSameEntry = (left: Props, right: Props): boolean =>
  left.at === right.at && left.of === right.of && left.isFound === right.isFound && isSame(left.item, right.item)

/** Another place in the list does not change it. */
const Body = memo(
  ({ item }: Pick<Props, "item">) => (item.kind === "row" ? <RowBody row={item.row} /> : <Reads {...item} />),
  (left, right) => isSame(left.item, right.item)
)

const label = (item: Items.Item): string =>
  `${Names.name(item)}, ${clock(item.kind === "row" ? item.row.ts : (item.calls[0]?.ts ?? 0))}`

const Entry = ({ at, isFound, item, of }: Props) => {
  const kind = item.kind === "row" ? item.row.kind : "reads"
  return (
    <div
      role="article"
      className={`row ${kind}`}
      tabIndex={-1}
      aria-posinset={at}
      aria-setsize={of}
      aria-current={isFound ? "true" : undefined}
      aria-label={useMemo(() => label(item), [item.kind === "row" ? item.row : item.calls.length])}
      data-testid={`row-${item.id}`}
    >
      <Body item={item} />
    </div>
  )
}

export const ItemRow = memo((props: Props) => {
  const instead = () => (
    <div
      role="article"
      className="row"
      tabIndex={-1}
      aria-posinset={props.at}
      aria-setsize={props.of}
      aria-label="An entry that could not be shown"
      data-testid={`row-${props.item.id}`}
    >
      <AsText />
    </div>
  )
  return (
    <Boundary instead={instead}>
      <Entry {...props} />
    </Boundary>
  )
}, isSameEntry)
