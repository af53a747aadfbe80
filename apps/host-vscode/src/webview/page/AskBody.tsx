/** What an ask is about, and the ways to answer it, in places that never change. */
import { Answers } from "@belay/interaction/view"
import type { View } from "@belay/interaction"
import { Fragment, useEffect, useRef, useState as useLocal } from "react"

export const Facts = ({ facts }: { readonly facts: View.Ask["facts"] }) => (
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
const Words = (of: {
  readonly label: string
  readonly onWords: (text: string) => void
  readonly onChange?: (text: string) => void
  /** What sends them. */
  readonly title?: string
  readonly focus?: boolean
}) => {
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
        onChange={({ target }) => {
          setText(target.value)
          of.onChange?.(target.value)
        }}
        onKeyDown={(event) => {
          const composing = event.nativeEvent.isComposing
          if (event.key !== "Enter" || composing || text.trim() === "") return
          event.preventDefault()
          send()
        }}
      />
      <button type="button" className="secondary" onClick={send}>
        {of.title ?? "Send"}
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
  const refusals = Answers.of(ask).filter(({ refused }) => refused !== undefined)
  return (
    <>
      <div className="answers">
        {Answers.of(ask).map(({ place, refused, title, verdict }) => (
          <Fragment key={place}>
            {place === 4 && ask.isEdit ? (
              <button
                type="button"
                className="answer review"
                aria-disabled={doing.waits}
                onClick={() => doing.verdict("review")}
              >
                Review
              </button>
            ) : null}
            <button
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
          </Fragment>
        ))}
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

const Answer = (of: { readonly doing: Doing; readonly title: string; readonly onPress: () => void }) => (
  <button type="button" className="answer" aria-disabled={of.doing.waits} onClick={of.onPress}>
    {of.title}
  </button>
)

const Options = ({ ask, doing }: { readonly ask: View.Ask; readonly doing: Doing }) => (
  <>
    <div className="answers">
      {ask.options.map((option) => (
        <Answer key={option} doing={doing} title={option} onPress={() => doing.words(option)} />
      ))}
    </div>
    <Words label="Answer in your own words" onWords={doing.words} />
  </>
)

/** A plan: it is carried out, or the person's words go on with it. */
const Plan = ({ ask, doing }: { readonly ask: View.Ask; readonly doing: Doing }) => {
  const [text, setText] = useLocal("")
  const start = Answers.start(ask, text)
  return (
    <>
      <div className="answers">
        <Answer
          doing={doing}
          title={start.title}
          onPress={() => {
            if (start.words === undefined) doing.verdict("once")
            else doing.words(start.words, "allow")
          }}
        />
        {Answers.suggestions(ask).map((option) => (
          <Answer key={option} doing={doing} title={option} onPress={() => doing.words(option)} />
        ))}
      </div>
      <Words
        label="What should the plan say, or what is your answer?"
        title="Keep planning"
        onChange={setText}
        onWords={doing.words}
      />
    </>
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
