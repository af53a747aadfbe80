/** The task in one line: how it stands, what it is, who else needs the person, what it costs, how full its context is. */
import { type View, Words } from "@belay/interaction"
import { deed, useState } from "../state/store.ts"
import { Icon } from "./Icon.tsx"

const Context = ({ context: { limit, tokens } }: { readonly context: View.Header["context"] }) => {
  if (tokens === 0) return null
  if (limit === undefined || limit === 0) {
    return (
      <span className="context" title={`${Words.tokens(tokens)} tokens of context; how many fit is not known`}>
        <span className="unseen">Context </span>
        {Words.tokens(tokens)}
      </span>
    )
  }
  const share = Math.min(100, Math.round((tokens / limit) * 100))
  return (
    <span className="context" title={`Context: ${Words.tokens(tokens)} of ${Words.tokens(limit)} tokens`}>
      <span className="unseen">Context </span>
      {share}% <progress max={100} value={share} aria-label="Context used" />
    </span>
  )
}

export const Sign = ({ line }: { readonly line: Pick<View.Line, "state" | "label" | "tone"> }) => (
  <span className={`sign tone-${line.tone}`} title={line.label}>
    <Icon name={Words.signs[line.state].codicon} /> <span className="word">{line.label}</span>
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

const Others = ({ count }: { readonly count: number }) =>
  count === 0 ? null : (
    <button
      type="button"
      className="quiet others"
      aria-label={`${count} other ${count === 1 ? "task needs" : "tasks need"} you: go to the next`}
      title="Go to the next task that needs you"
      onClick={() => deed("nextNeedsYou")}
    >
      <Icon name="bell-dot" /> {count}
    </button>
  )

export const Header = () => {
  const header = useState((state) => state.header)
  if (header === null) return null
  const { above, context, cost, others } = header
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
        <Sign line={header} />
        <h1 tabIndex={-1} data-first="" title={header.title}>
          {header.title}
        </h1>
        <button
          type="button"
          className="quiet"
          aria-label="Open another task"
          title="Open another task"
          onClick={() => deed("pickTask")}
        >
          <Icon name="chevron-down" />
        </button>
        <Others count={others ?? 0} />
        <span data-testid="cost" className="cost" title={cost === "–" ? "What it costs is not known" : "Cost so far"}>
          {cost}
        </span>
        <Context context={context} />
      </div>
      {header.planning === undefined ? null : <Planning {...header.planning} />}
    </header>
  )
}
