/**
 * The conversation: only what is seen is in the document, and the view stays where it is when something is added.
 *
 * With a screen reader every row of what was read is there, a page at a time.
 */
import { Items } from "@belay/interaction/unstable/view"
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState as useLocal } from "react"
import { Virtualizer, type VirtualizerHandle } from "virtua"
import { Live } from "../rows/Live.tsx"
import { ItemRow } from "../rows/ItemRow.tsx"
import { usePlace } from "../state/place.ts"
import { say, useState } from "../state/store.ts"

/** Pixels from an end that count as being there. */
const near = 32
const nearTop = 400

/** Pixels of an entry that was not seen yet: a guess that is too small makes more of them than are seen. */
const usual = 72

const usesScreenReader = (): boolean => document.body.classList.contains("vscode-using-screen-reader")

const atEnd = (element: HTMLElement): boolean => element.scrollHeight - element.scrollTop - element.clientHeight <= near

const Earlier = () => {
  const earlier = useState((state) => state.earlier)
  if (earlier === undefined) return null
  return (
    <div role="article" className="row" tabIndex={-1} aria-label="There are earlier entries">
      <button type="button" className="secondary" onClick={() => say({ type: "earlier", before: earlier })}>
        Earlier entries
      </button>
    </div>
  )
}

/** Keeps the end in sight while it is, and says whether it is. */
const useEnd = (scroller: RefObject<HTMLDivElement | null>) => {
  const [end, setEnd] = useLocal(true)
  const follows = useRef(true)
  /** The sizes of content and frame when it was last scrolled: what moves with them was not moved by the person. */
  const sizes = useRef("")
  /** Where it was then, or was put since. */
  const top = useRef(0)
  /** The person has done something that may move it away from the end, which is seen a frame later. */
  const moves = useRef(false)
  const go = (): void => {
    const { current } = scroller
    if (current === null) return
    current.scrollTop = current.scrollHeight
    top.current = current.scrollTop
  }
  useLayoutEffect(() => {
    const { current } = scroller
    const content = current?.firstElementChild
    if (!current || !content) return undefined
    const observer = new ResizeObserver(() => follows.current && go())
    observer.observe(content)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return {
    end,
    isFollowing: () => follows.current,
    go: () => {
      follows.current = true
      moves.current = false
      setEnd(true)
      go()
    },
    /** The person goes somewhere else. */
    leave: () => {
      follows.current = false
      setEnd(false)
    },
    moves: () => {
      moves.current = true
    },
    scrolled: () => {
      const { current } = scroller
      if (current === null) return
      const now = `${current.scrollHeight} ${current.clientHeight}`
      const resized = now !== sizes.current
      sizes.current = now
      const isLeft = moves.current && current.scrollTop < top.current
      if (follows.current && resized && !isLeft && !atEnd(current)) return go()
      top.current = current.scrollTop
      follows.current = atEnd(current)
      if (!follows.current) moves.current = false
      setEnd(follows.current)
    }
  }
}

/** Goes to the entry of a message once it has been read, and gives its id. */
const useReveal = (list: ReadonlyArray<Items.Item>, isWhole: boolean, go: (index: number) => void) => {
  const reveal = useState((state) => state.reveal)
  const earlier = useState((state) => state.earlier)
  const gone = useRef<typeof reveal>(undefined)
  const [found, setFound] = useLocal("")
  useEffect(() => {
    if (reveal === undefined || gone.current === reveal) return
    const index = Items.indexOf(list, reveal.message, isWhole)
    if (index === undefined && earlier !== undefined) say({ type: "earlier", before: earlier })
    if (index === undefined) return
    gone.current = reveal
    setFound(list[index]?.id ?? "")
    go(index)
  }, [reveal, list, isWhole])
  return found
}

export const Timeline = () => {
  const task = useState((state) => state.task)
  // Another task is another list.
  return <TimelineOf key={task} />
}

const TimelineOf = () => {
  const rows = useState((state) => state.rows)
  const earlier = useState((state) => state.earlier)
  const prepended = useState((state) => state.prepended)
  const list = useMemo(() => Items.of(rows), [rows])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useRef<VirtualizerHandle>(null)
  const { end, go, isFollowing, leave, moves, scrolled } = useEnd(scroller)
  const show = (index: number): void => {
    leave()
    if (virtual.current !== null) virtual.current.scrollToIndex(index, { align: "center" })
    else scroller.current?.querySelectorAll("[role=article]")[index]?.scrollIntoView({ block: "center" })
  }
  const found = useReveal(list, earlier === undefined, show)
  const task = useState((state) => state.task)
  const moved = usePlace({ task, scroller, list, earlier, show, isFollowing })
  // Before anything of the beginning is made, which nobody looks at, where there is no other place to go to.
  useEffect(() => {
    if (isFollowing()) go()
  }, [])
  const asked = useRef<number | undefined>(undefined)
  /** The last row that was seen at the end. */
  const [seen, setSeen] = useLocal("")
  const last = list.at(-1)?.id ?? ""
  useEffect(() => {
    if (end) setSeen(last)
  }, [end, last])
  const added = end ? 0 : list.length - 1 - list.findIndex(({ id }) => id === seen)

  const onScroll = (): void => {
    scrolled()
    moved()
    const top = scroller.current?.scrollTop ?? 0
    if (earlier === undefined || top > nearTop || asked.current === earlier) return
    asked.current = earlier
    say({ type: "earlier", before: earlier })
  }

  const step = (from: EventTarget, by: number): void => {
    const { current } = scroller
    const articles = [...(current?.querySelectorAll<HTMLElement>("[role=article]") ?? [])]
    const at = articles.findIndex((article) => article.contains(from as Node))
    articles[at < 0 ? articles.length - 1 : Math.min(articles.length - 1, Math.max(0, at + by))]?.focus()
  }

  const row = (item: Items.Item, index: number) => (
    <ItemRow
      key={item.id}
      item={item}
      at={index + 1}
      of={earlier === undefined ? list.length : -1}
      isFound={item.id === found}
    />
  )

  return (
    <main className="timeline">
      <div
        ref={scroller}
        className="scroller"
        role="feed"
        aria-label="Conversation"
        data-region="feed"
        tabIndex={0}
        onScroll={onScroll}
        onWheel={({ deltaY }) => deltaY < 0 && moves()}
        onPointerDown={moves}
        onTouchMove={moves}
        onKeyDown={(event) => {
          moves()
          if (event.key === "End") {
            go()
            // The entry that has the focus may leave the document.
            event.currentTarget.focus({ preventScroll: true })
          }
          if (event.key !== "PageDown" && event.key !== "PageUp") return
          event.preventDefault()
          step(event.target, event.key === "PageDown" ? 1 : -1)
        }}
      >
        <div className="content">
          <Earlier />
          {usesScreenReader() ? (
            list.map(row)
          ) : (
            <Virtualizer
              ref={virtual}
              scrollRef={scroller}
              data={list}
              itemSize={usual}
              shift={prepended}
              keepMounted={list.length === 0 ? [] : [list.length - 1]}
            >
              {row}
            </Virtualizer>
          )}
          <Live />
        </div>
      </div>
      {end || added <= 0 ? null : (
        <button type="button" className="primary to-end" onClick={go}>
          {added} new, go to end
        </button>
      )}
    </main>
  )
}
