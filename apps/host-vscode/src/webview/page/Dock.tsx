/**
 * What waits for the person, outside the conversation: it takes no focus, nothing is preselected, and no key that was
 * meant for something else answers it.
 */
import type { View } from "@belay/interaction"
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState as useLocal } from "react"
import { Body, type Doing, Facts } from "./AskBody.tsx"
import { Icon } from "../parts/Icon.tsx"
import { Markdown } from "../parts/Markdown.tsx"
import { listen, say, useState } from "../state/store.ts"
import { useDeadTime } from "./useDeadTime.ts"

/** Characters of a question that its heading says whole. */
const short = 60

const textOf = ({ facts, heading }: View.Ask): string => facts.find(({ label }) => label === "Asks")?.text ?? heading

const isShort = (ask: View.Ask): boolean => textOf(ask).trim() === ask.heading && ask.heading.length <= short

const headingOf = (ask: View.Ask): string => {
  if (ask.kind === "plan") return "The plan waits for you"
  return ask.kind === "question" && !isShort(ask) ? "Question" : ask.heading
}

/** What is asked in words, where the heading does not say all of it. */
const Said = ({ ask }: { readonly ask: View.Ask }) => (
  <>
    {ask.facts
      .filter(({ label }) => label === "Task")
      .map(({ label, text }) => (
        <p key={label} className="muted">
          {label}: {text}
        </p>
      ))}
    {ask.kind === "question" && isShort(ask) ? null : <Markdown text={textOf(ask)} />}
  </>
)

const isWriting = (target: EventTarget): boolean => target instanceof HTMLInputElement

const One = ({
  ask,
  count,
  onStep,
  place,
  wasGoneTo
}: {
  readonly ask: View.Ask
  readonly place: number
  readonly count: number
  /** From another ask, so the focus goes on with the person. */
  readonly wasGoneTo: boolean
  readonly onStep: (by: number) => void
}) => {
  const section = useRef<HTMLElement>(null)
  const { entered, isOver, pressed, waits } = useDeadTime()
  const [why, setWhy] = useLocal(false)
  // Who has answered by a key goes on reading from the keyboard.
  useLayoutEffect(
    () => () => {
      const hadFocus = section.current?.contains(document.activeElement) === true
      const feed = document.querySelector<HTMLElement>("[data-region=feed]")
      if (hadFocus)
        queueMicrotask(() => document.activeElement === document.body && feed?.focus({ preventScroll: true }))
    },
    []
  )
  const goTo = (): void => section.current?.querySelector("h2")?.focus()
  useEffect(() => {
    if (wasGoneTo) goTo()
    return listen((message) => {
      if (message.type === "focus" && message.what === "dock") goTo()
    })
  }, [])

  const doing: Doing = {
    waits,
    verdict: (verdict) => {
      if (isOver()) say({ type: "verdict", askId: ask.askId, verdict })
    },
    words: (text, decision) => {
      if (isOver()) say({ type: "answer", askId: ask.askId, text, ...(decision === undefined ? {} : { decision }) })
    }
  }
  const choose = (event: KeyboardEvent): void => {
    if (isWriting(event.target) || event.ctrlKey || event.altKey || event.metaKey || event.nativeEvent.isComposing)
      return
    const found = section.current?.querySelector<HTMLElement>(`[data-answer="${event.key}"]`)
    if (!/^[1-9]$/u.test(event.key) || !found) return
    event.preventDefault()
    found.click()
  }
  return (
    <section
      ref={section}
      className={waits ? "dock waits" : "dock"}
      aria-labelledby="dock-heading"
      data-region="dock"
      data-ask={ask.askId}
      onKeyDown={choose}
      onPointerDownCapture={pressed}
      onFocus={(event) => {
        if (section.current?.contains(event.relatedTarget) !== true) entered()
      }}
    >
      <div className="dock-title">
        <h2 id="dock-heading" tabIndex={0} data-first="">
          <span className="tone-yellow">
            <Icon name="bell-dot" />
          </span>{" "}
          <span className="unseen">Needs you: </span>
          {headingOf(ask)}
        </h2>
        {count === 1 ? null : (
          <span className="step">
            {place + 1} of {count}
            <button type="button" className="quiet" aria-label="Previous" onClick={() => onStep(-1)}>
              <Icon name="chevron-left" />
            </button>
            <button type="button" className="quiet" aria-label="Next" onClick={() => onStep(1)}>
              <Icon name="chevron-right" />
            </button>
          </span>
        )}
      </div>
      <div className="dock-body" tabIndex={0} role="region" aria-label="What is asked">
        {ask.command === undefined ? null : <pre className="command">{ask.command}</pre>}
        {ask.kind === "plan" || ask.kind === "question" ? <Said ask={ask} /> : <Facts ask={ask} />}
      </div>
      <Body ask={ask} doing={doing} why={why} onWhy={() => isOver() && setWhy(true)} />
    </section>
  )
}

export const Dock = () => {
  const asks = useState((state) => state.asks)
  const [wanted, setWanted] = useLocal("")
  const found = asks.findIndex(({ askId }) => askId === wanted)
  const place = found < 0 ? 0 : found
  const ask = asks[place]
  if (ask === undefined) return null
  const step = (by: number): void => setWanted(asks[(place + by + asks.length) % asks.length]?.askId ?? "")
  return (
    <One key={ask.askId} ask={ask} place={place} count={asks.length} onStep={step} wasGoneTo={ask.askId === wanted} />
  )
}
