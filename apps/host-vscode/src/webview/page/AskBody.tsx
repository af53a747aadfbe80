/** What an ask is about, and the ways to answer it, in places that never change. */
import { Answers } from "@belay/interaction/unstable/view"
import type { View } from "@belay/interaction"
import { type ReactNode, useEffect, useRef, useState as useLocal } from "react"
import { Icon } from "../parts/Icon.tsx"
import { useWritten } from "../state/store.ts"

/** What is known besides what will happen: it is looked up. */
const details = new Set(["Runs", "Sandbox", "Reads", "Why asked", "The model says"])

const List = ({ facts }: { readonly facts: View.Ask["facts"] }) => (
  <dl>
    {facts.map(({ label, text }) => (
      <div key={label} className={label === "The model says" ? "muted" : ""}>
        <dt>{label}</dt>
        <dd>{text}</dd>
      </div>
    ))}
  </dl>
)

/** What will happen stands whole; why it is asked in one line, which opens what else is known. */
export const Facts = ({ ask }: { readonly ask: View.Ask }) => {
  const [open, setOpen] = useLocal(false)
  const facts = ask.facts.filter(({ text }) => text !== ask.heading)
  const known = facts.filter(({ label }) => details.has(label))
  const why = known.find(({ label }) => label === "Why asked")?.text
  return (
    <>
      <List facts={facts.filter(({ label }) => !details.has(label))} />
      {known.length === 0 ? null : (
        <button type="button" className="fold muted" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? "chevron-down" : "chevron-right"} />
          <span className="next">{open || why === undefined ? "Details" : why}</span>
        </button>
      )}
      {open ? <List facts={known} /> : null}
    </>
  )
}

/** Words of a person for this ask alone: the composer keeps its own. */
const Words = (of: { readonly label: string; readonly onWords: (text: string) => void; readonly focus?: boolean }) => {
  const [text, setText] = useLocal("")
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (of.focus === true) input.current?.focus()
  }, [])
  const send = (): void => {
    if (text.trim() === "") input.current?.focus()
    else of.onWords(text)
  }
  return (
    <form
      className="words"
      onSubmit={(event) => {
        event.preventDefault()
        send()
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
          send()
        }}
      />
      <button type="button" className="secondary" onClick={send}>
        Send
      </button>
    </form>
  )
}

export interface Doing {
  /** It is the dead time. */
  readonly waits: boolean
  readonly verdict: (verdict: View.Verdict) => void
  readonly words: (text: string, decision?: "allow" | "deny") => void
}

const Key = ({ place }: { readonly place: number }) => <kbd aria-hidden="true">{place}</kbd>

interface Choice {
  readonly ask: View.Ask
  readonly doing: Doing
}

const Place = ({
  ask,
  children,
  doing,
  onWhy,
  place,
  refused,
  title,
  verdict
}: Choice & Answers.Answer & { readonly onWhy: () => void; readonly children?: ReactNode }) => (
  <button
    type="button"
    className={`answer place-${place} ${place === 1 ? "primary" : ""}`}
    data-answer={place}
    title={title}
    aria-disabled={doing.waits || refused !== undefined}
    aria-describedby={refused === undefined ? undefined : `refused-${ask.askId}-${place}`}
    onClick={() => {
      if (refused !== undefined) return
      if (verdict === undefined) onWhy()
      else doing.verdict(verdict)
    }}
  >
    <span className="text">{children ?? title}</span> <Key place={place} />
  </button>
)

/** Of a yes to this alone one word is seen. */
const Short = ({ title }: { readonly title: string }) => {
  const [, word = title, rest] = /^(\S+)( once)$/u.exec(title) ?? []
  return (
    <>
      {word}
      {rest === undefined ? null : <span className="unseen">{rest}</span>}
    </>
  )
}

/** One row: yes, what else would be a yes behind one button, and no at the other end. Every key works all the time. */
const Decision = ({
  ask,
  doing,
  onWhy,
  why
}: Choice & {
  readonly why: boolean
  readonly onWhy: () => void
}) => {
  const [open, setOpen] = useLocal(false)
  const all = Answers.of(ask)
  const [yes, ...others] = all
  const wider = others.filter(({ place }) => place < 4)
  const no = others.filter(({ place }) => place >= 4)
  const refusals = all.filter(({ refused }) => refused !== undefined)
  const common = { ask, doing, onWhy }
  return (
    <>
      <div className="wider" hidden={!open}>
        {wider.map((one) => (
          <Place key={one.place} {...common} {...one} />
        ))}
        {refusals.map(({ place, refused, title }) => (
          <p key={place} id={`refused-${ask.askId}-${place}`} className="muted refused">
            {title} is not offered: {refused}
          </p>
        ))}
      </div>
      <div className="answers">
        {yes === undefined ? null : (
          <Place {...common} {...yes}>
            <Short title={yes.title} />
          </Place>
        )}
        {wider.length === 0 ? null : (
          <button
            type="button"
            className="answer more"
            aria-expanded={open}
            aria-label="Allow more than this"
            title="Allow more than this"
            onClick={() => setOpen(!open)}
          >
            <Icon name="chevron-down" />
          </button>
        )}
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
        <span className="space" />
        {no.map((one) => (
          <Place key={one.place} {...common} {...one}>
            {one.verdict === undefined ? (
              <>
                <Icon name="comment" />
                <span className="unseen">{one.title}</span>
              </>
            ) : (
              one.title
            )}
          </Place>
        ))}
      </div>
      {why ? (
        <Words focus label="Say why, or what to do instead" onWords={(text) => doing.words(text, "deny")} />
      ) : null}
    </>
  )
}

const Answer = (of: {
  readonly doing: Doing
  readonly title: string
  readonly place?: number
  readonly primary?: boolean
  readonly onPress: () => void
}) => (
  <button
    type="button"
    className={of.primary === true ? "answer primary" : "answer"}
    data-answer={of.place}
    title={of.title}
    aria-disabled={of.doing.waits}
    onClick={of.onPress}
  >
    <span className="text">{of.title}</span>
    {of.place === undefined ? null : <Key place={of.place} />}
  </button>
)

/** Keys for the first nine. */
const keyOf = (at: number) => (at < 9 ? { place: at + 1 } : {})

/** Other words than these are written in the composer. */
const Options = ({ ask, doing }: Choice) =>
  ask.options.length === 0 ? (
    <p className="muted">Write your answer below.</p>
  ) : (
    <div className="answers options">
      {ask.options.map((option, at) => (
        <Answer key={option} {...keyOf(at)} doing={doing} title={option} onPress={() => doing.words(option)} />
      ))}
    </div>
  )

/** A plan: it is carried out, with what stands in the composer; words that are sent go on planning. */
const Plan = ({ ask, doing }: Choice) => {
  const start = Answers.start(ask, useWritten())
  return (
    <div className="answers options">
      <Answer
        primary
        place={1}
        doing={doing}
        title={start.title}
        onPress={() => {
          if (start.words === undefined) doing.verdict("once")
          else doing.words(start.words, "allow")
        }}
      />
      {Answers.suggestions(ask).map((option, at) => (
        <Answer key={option} {...keyOf(at + 1)} doing={doing} title={option} onPress={() => doing.words(option)} />
      ))}
    </div>
  )
}

export const Body = ({
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
      return <Plan ask={ask} doing={doing} />
    case "question":
      return <Options ask={ask} doing={doing} />
    case "limit":
      return (
        <div className="answers">
          <Answer doing={doing} title="Answer…" onPress={() => doing.verdict("once")} />
        </div>
      )
  }
}
