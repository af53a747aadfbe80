/**
 * What waits for the person, outside the conversation: it takes no focus, nothing is preselected, and no key that was
 * meant for something else answers it.
 */
import type { View } from "@belay/task-engine/protocol"
import { type KeyboardEvent, useEffect, useRef, useState as useLocal } from "react"
import * as answers from "./answers.ts"
import * as DeadTime from "./deadTime.ts"
import { Markdown } from "./Markdown.tsx"
import { listen, say, useState } from "./store.ts"

const Facts = ({ facts }: { readonly facts: View.Ask["facts"] }) => (
  <dl>
    {facts.map(({ label, text }) => (
      <div key={label} className={label === "The model says" ? "muted" : ""}>
        <dt>{label}</dt>
        <dd>{text}</dd>
      </div>
    ))}
  </dl>
)

/** Words of a person for this ask alone: the composer keeps its own. */
const Words = (of: { readonly label: string; readonly onWords: (text: string) => void; readonly focus?: boolean }) => {
  const [text, setText] = useLocal("")
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (of.focus === true) input.current?.focus()
  }, [])
  return (
    <form
      className="words"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== "") of.onWords(text)
      }}
    >
      <input
        ref={input}
        type="text"
        aria-label={of.label}
        placeholder={of.label}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          const composing = event.nativeEvent.isComposing
          if (event.key !== "Enter" || composing || text.trim() === "") return
          event.preventDefault()
          of.onWords(text)
        }}
      />
      <button type="button" className="secondary" onClick={() => text.trim() === "" || of.onWords(text)}>
        Send
      </button>
    </form>
  )
}

interface Doing {
  /** It is the dead time. */
  readonly waits: boolean
  readonly verdict: (verdict: View.Verdict) => void
  readonly words: (text: string, decision?: "allow" | "deny") => void
}

const Decision = ({
  ask,
  doing,
  onWhy,
  why
}: {
  readonly ask: View.Ask
  readonly doing: Doing
  readonly why: boolean
  readonly onWhy: () => void
}) => {
  const refusals = answers.of(ask).filter(({ refused }) => refused !== undefined)
  return (
    <>
      <div className="answers">
        {answers.of(ask).map(({ place, refused, title, verdict }) => (
          <button
            key={place}
            type="button"
            className={`answer place-${place}`}
            data-answer={place}
            aria-disabled={doing.waits || refused !== undefined}
            aria-describedby={refused === undefined ? undefined : `refused-${ask.askId}-${place}`}
            onClick={() => {
              if (refused !== undefined) return
              if (verdict === undefined) onWhy()
              else doing.verdict(verdict)
            }}
          >
            <kbd aria-hidden="true">{place}</kbd> {title}
          </button>
        ))}
        {ask.isEdit ? (
          <button
            type="button"
            className="answer review"
            aria-disabled={doing.waits}
            onClick={() => doing.verdict("review")}
          >
            Review
          </button>
        ) : null}
      </div>
      {refusals.map(({ place, refused, title }) => (
        <p key={place} id={`refused-${ask.askId}-${place}`} className="muted refused">
          {title} is not offered: {refused}
        </p>
      ))}
      {why ? (
        <Words focus label="Say why, or what to do instead" onWords={(text) => doing.words(text, "deny")} />
      ) : null}
    </>
  )
}

const Options = ({ ask, doing }: { readonly ask: View.Ask; readonly doing: Doing }) => (
  <>
    <div className="answers">
      {ask.options.map((option) => (
        <button
          key={option}
          type="button"
          className="answer"
          aria-disabled={doing.waits}
          onClick={() => doing.words(option)}
        >
          {option}
        </button>
      ))}
    </div>
    <Words label="Answer in your own words" onWords={doing.words} />
  </>
)

const Plan = ({ doing }: { readonly doing: Doing }) => (
  <>
    <div className="answers">
      <button type="button" className="answer" aria-disabled={doing.waits} onClick={() => doing.verdict("once")}>
        Switch to Act and start
      </button>
    </div>
    <Words label="Keep planning: what should the plan say, or what is your answer?" onWords={doing.words} />
  </>
)

const Body = ({
  ask,
  doing,
  onWhy,
  why
}: {
  readonly ask: View.Ask
  readonly doing: Doing
  readonly why: boolean
  readonly onWhy: () => void
}) => {
  if (ask.blocked !== undefined) return <p>{ask.blocked}</p>
  switch (ask.kind) {
    case "approval":
    case "repeat":
      return <Decision ask={ask} doing={doing} why={why} onWhy={onWhy} />
    case "plan":
      return <Plan doing={doing} />
    case "question":
      return <Options ask={ask} doing={doing} />
    case "limit":
      return (
        <div className="answers">
          <button type="button" className="answer" aria-disabled={doing.waits} onClick={() => doing.verdict("once")}>
            Answer…
          </button>
        </div>
      )
  }
}

const isWriting = (target: EventTarget): boolean => target instanceof HTMLInputElement

const One = ({
  ask,
  count,
  onStep,
  place
}: {
  readonly ask: View.Ask
  readonly place: number
  readonly count: number
  readonly onStep: (by: number) => void
}) => {
  const section = useRef<HTMLElement>(null)
  const pointer = useRef(false)
  const dead = useRef<DeadTime.DeadTime>(null)
  dead.current ??= DeadTime.make(() => performance.now())
  const [why, setWhy] = useLocal(false)
  const [waits, setWaits] = useLocal(true)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const restart = (): void => {
    dead.current?.restart()
    setWaits(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setWaits(false), DeadTime.length)
  }
  useEffect(() => {
    restart()
    addEventListener("focus", restart)
    const unlisten = listen((message) => {
      if (message.type === "focus" && message.what === "dock") section.current?.querySelector("h2")?.focus()
    })
    return () => {
      clearTimeout(timer.current)
      removeEventListener("focus", restart)
      unlisten()
    }
  }, [])

  const isOver = (): boolean => dead.current?.isOver() === true
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
    if (!/^[1-5]$/u.test(event.key) || !found) return
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
      onPointerDownCapture={() => {
        pointer.current = true
      }}
      onFocus={(event) => {
        // From outside, and not because it was pressed.
        const inside = section.current?.contains(event.relatedTarget) === true
        if (!inside && !pointer.current) restart()
        pointer.current = false
      }}
    >
      <div className="dock-title">
        <h2 id="dock-heading" tabIndex={0} data-first="">
          <span className="tone-yellow" aria-hidden="true">
            ◆{" "}
          </span>
          <span className="unseen">Needs you: </span>
          {ask.heading}
        </h2>
        {count === 1 ? null : (
          <span className="step">
            {place + 1} of {count}
            <button type="button" className="quiet" aria-label="Previous" onClick={() => onStep(-1)}>
              ‹
            </button>
            <button type="button" className="quiet" aria-label="Next" onClick={() => onStep(1)}>
              ›
            </button>
          </span>
        )}
      </div>
      <div className="dock-body" tabIndex={0} role="region" aria-label="What is asked">
        {ask.command === undefined ? null : <pre className="command">{ask.command}</pre>}
        {ask.kind === "plan" || ask.kind === "question" ? (
          <Markdown text={ask.facts.find(({ label }) => label === "Asks")?.text ?? ask.heading} />
        ) : (
          <Facts facts={ask.facts} />
        )}
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
  return <One key={ask.askId} ask={ask} place={place} count={asks.length} onStep={step} />
}
