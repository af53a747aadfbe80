/** Where a person reads: kept while the view is hidden, and gone back to when it is shown again. */
import type { Items } from "@belay/interaction/unstable/view"
import { type RefObject, useEffect, useRef } from "react"
import type { Place } from "./host.ts"
import { keepPlace, placeOf, say } from "./store.ts"

/** ms after the last movement. */
const keepAfter = 250

const rowIn = (scroller: HTMLElement, id: string): HTMLElement | undefined =>
  [...scroller.querySelectorAll<HTMLElement>("[data-testid]")].find(({ dataset }) => dataset["testid"] === `row-${id}`)

const belowTop = (scroller: HTMLElement, row: HTMLElement): number =>
  Math.round(row.getBoundingClientRect().top - scroller.getBoundingClientRect().top)

/** The first entry that begins in sight, or the last one before. */
const read = (scroller: HTMLElement): Place | undefined => {
  const rows = [...scroller.querySelectorAll<HTMLElement>("[data-testid^=row-]")]
  const row = rows.find((one) => belowTop(scroller, one) >= 0) ?? rows.at(-1)
  return row && { row: (row.dataset["testid"] ?? "").slice("row-".length), below: belowTop(scroller, row) }
}

/** Frames in which the entry has to stay where it is, and after which it is left where it is. */
const stays = 8
const most = 120

/** What the rows around it change as they are drawn is undone, unless the person moves meanwhile; aborted when it is over. */
const goTo = (scroller: HTMLElement, { below, row: id }: Place): AbortSignal => {
  const moves = new AbortController()
  for (const name of ["wheel", "pointerdown", "keydown"]) {
    scroller.addEventListener(name, () => moves.abort(), { once: true, signal: moves.signal })
  }
  const settle = (left: number, still: number): void => {
    if (moves.signal.aborted) return
    const row = rowIn(scroller, id)
    const off = row === undefined ? 0 : belowTop(scroller, row) - below
    scroller.scrollTop += off
    const stayed = row !== undefined && off === 0 ? still + 1 : 0
    if (left === 0 || stayed === stays) moves.abort()
    else requestAnimationFrame(() => settle(left - 1, stayed))
  }
  requestAnimationFrame(() => settle(most, 0))
  return moves.signal
}

interface Of {
  readonly task: string | null
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly list: ReadonlyArray<Items.Item>
  readonly earlier: number | undefined
  /** Leaves the end for an entry, which is in the document after it. */
  readonly show: (index: number) => void
  /** The end is shown, and stays shown. */
  readonly isFollowing: () => boolean
}

/** Gives what is to be called after each movement. */
export const usePlace = ({ earlier, isFollowing, list, scroller, show, task }: Of): (() => void) => {
  const wanted = useRef<Place | undefined>(undefined)
  /** The way to the place: what is passed on it was not gone to by the person. */
  const going = useRef<AbortSignal>(undefined)
  const asked = useRef<number | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    wanted.current = placeOf(task)
    return () => clearTimeout(timer.current)
  }, [])
  useEffect(() => {
    const place = wanted.current
    if (place === undefined) return
    const index = list.findIndex(({ id }) => id === place.row)
    if (index < 0 && earlier !== undefined) {
      if (asked.current !== earlier) say({ type: "earlier", before: earlier })
      asked.current = earlier
      return
    }
    wanted.current = undefined
    if (index < 0) return
    show(index)
    if (scroller.current !== null) going.current = goTo(scroller.current, place)
  }, [list, earlier])
  return () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const { current } = scroller
      const isThere = wanted.current === undefined && going.current?.aborted !== false
      if (current !== null && isThere) keepPlace(isFollowing() ? undefined : read(current))
    }, keepAfter)
  }
}
