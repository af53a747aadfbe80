/** The task in two lines: what it is, how it stands, what it costs. */
import { type View, Words } from "@belay/interaction"
import { deed, useState } from "../state/store.ts"

const Context = ({ context: { limit, tokens } }: { readonly context: View.Header["context"] }) => {
  if (tokens === 0) return null
  if (limit === undefined || limit === 0) return <span>Context {Words.tokens(tokens)}</span>
  const share = Math.min(100, Math.round((tokens / limit) * 100))
  return (
    <span className="context" title={`${Words.tokens(tokens)} of ${Words.tokens(limit)} tokens`}>
      Context {share} % <progress max={100} value={share} aria-label="Context used" />
    </span>
  )
}

export const Sign = ({ line }: { readonly line: Pick<View.Line, "glyph" | "label" | "tone"> }) => (
  <span className={`sign tone-${line.tone}`}>
    <span aria-hidden="true">{line.glyph}</span> <span className="word">{line.label}</span>
  </span>
)

/** Where a task stands that plans in phases. */
const Planning = ({ names, phase }: NonNullable<View.Header["planning"]>) => (
  <section className="planning" aria-label={`Planning ${phase} of ${names.length}: ${names[phase - 1] ?? ""}`}>
    <span aria-hidden="true">
      Planning {phase} of {names.length}:
    </span>
    <ol>
      {names.map((name, index) => (
        <li key={name} aria-current={index + 1 === phase ? "step" : undefined}>
          {index + 1 < phase ? <span className="unseen">done: </span> : null}
          {name}
        </li>
      ))}
    </ol>
  </section>
)

export const Header = () => {
  const header = useState((state) => state.header)
  if (header === null) return null
  const { above, checklist, context, cost, mode, model } = header
  return (
    <header className="header" data-region="header" data-task={header.id}>
      {above.length === 0 ? null : (
        <nav aria-label="Parent tasks" className="above">
          {above.map(({ id, title }) => (
            <span key={id}>
              <button type="button" className="link" onClick={() => deed("openTask", id)}>
                {title}
              </button>
              <span aria-hidden="true"> › </span>
            </span>
          ))}
        </nav>
      )}
      <div className="title">
        <h1 tabIndex={-1} data-first="">
          {header.title}
        </h1>
        <button
          type="button"
          className="quiet"
          aria-label="Open conversation as text"
          title="Open conversation as text"
          onClick={() => deed("openTranscriptAsText")}
        >
          ≡
        </button>
      </div>
      <div className="facts">
        <Sign line={header} />
        <span>{Words.modes[mode]}</span>
        <span className="model" title={model}>
          {model.replace(/^claude-/u, "")}
        </span>
        <span data-testid="cost">{cost}</span>
        {checklist === undefined ? null : (
          <button type="button" className="link" onClick={() => deed("openChecklist")}>
            Checklist {checklist}
          </button>
        )}
        <Context context={context} />
      </div>
      {header.planning === undefined ? null : <Planning {...header.planning} />}
    </header>
  )
}
