/** What a person writes to this task and to no other: kept as a draft, changed by nothing, sent by Enter. */
import type { View } from "@belay/interaction"
import { useLayoutEffect } from "react"
import { Attachments } from "./Attachments.tsx"
import { Help } from "./Help.tsx"
import { Mode } from "./Mode.tsx"
import { listId, optionId, Suggestions } from "./Suggestions.tsx"
import { useComposer } from "./useComposer.ts"
import { deed, now, say, useState } from "../state/store.ts"

const tallest = 240

export const Composer = () => {
  const task = useState((state) => state.task)
  return <ComposerOf key={task} task={task} />
}

const placeholderOf = (header: View.Header | null): string => {
  if (header === null) return "What would you like to do?"
  return header.done ? `Continue "${header.title}" in a new task` : `Message to "${header.title}"`
}

interface Of {
  readonly composer: ReturnType<typeof useComposer>
  /** Why nothing can be said. */
  readonly mute: string | undefined
}

const Field = ({ composer, mute }: Of) => {
  const { area, completing, text } = composer
  const label = useState((state) => placeholderOf(state.header))
  useLayoutEffect(() => composer.given(now().draft), [])
  useLayoutEffect(() => {
    const { current } = area
    if (current === null) return
    current.style.height = "auto"
    current.style.height = `${Math.min(tallest, current.scrollHeight + 2)}px`
  }, [text])
  return (
    <textarea
      ref={area}
      rows={2}
      data-first=""
      aria-label={label}
      placeholder={label}
      value={text}
      disabled={mute !== undefined}
      aria-describedby={mute === undefined ? undefined : "mute"}
      aria-autocomplete="list"
      aria-controls={completing.list === undefined ? undefined : listId}
      aria-activedescendant={completing.list === undefined ? undefined : optionId(completing.list.active)}
      onChange={composer.onChange}
      onSelect={completing.check}
      onBlur={completing.close}
      onKeyDown={composer.onKeyDown}
      onPaste={composer.onPaste}
    />
  )
}

const Controls = ({ composer, mute }: Of) => {
  const header = useState((state) => state.header)
  const welcome = useState((state) => state.welcome)
  const hasPictures = useState((state) => state.pictures.length > 0)
  const answersPlan = useState((state) => state.asks.some(({ kind }) => kind === "plan"))
  const isEmpty = composer.text.trim() === "" && !hasPictures
  return (
    <div className="controls">
      {header?.done === true ? null : <Mode mode={header?.mode ?? welcome?.mode ?? "act"} title={header?.title} />}
      {header === null ? null : (
        <button type="button" className="quiet" onClick={() => deed("showOptions")} aria-haspopup="dialog">
          {header.model.replace(/^claude-/u, "")} ▾
        </button>
      )}
      <button
        type="button"
        className="quiet"
        aria-label="Mention"
        disabled={mute !== undefined}
        onClick={composer.mention}
      >
        @
      </button>
      <button type="button" className="quiet" disabled={mute !== undefined} onClick={() => say({ type: "choose" })}>
        Attach
      </button>
      <span className="space" />
      {header?.deeds.includes("stop") === true ? (
        <button type="button" className="secondary" onClick={() => deed("stop")}>
          Stop
        </button>
      ) : null}
      <button type="button" className="primary" disabled={isEmpty || mute !== undefined} onClick={composer.send}>
        {header?.queues === true && !answersPlan ? "Queue" : "Send"}
      </button>
    </div>
  )
}

const ComposerOf = ({ task }: { readonly task: string | null }) => {
  const hasTask = useState((state) => state.header !== null)
  const mute = useState(
    ({ header, welcome }) => header?.mute ?? (welcome?.canStart === false ? welcome.text : undefined)
  )
  const composer = useComposer(task, mute !== undefined)
  return (
    <footer className="composer" data-region="composer" onDragOver={composer.onDragOver} onDrop={composer.onDrop}>
      {mute === undefined || !hasTask ? null : (
        <p className="muted" id="mute">
          {mute}
        </p>
      )}
      {composer.help === undefined ? null : <Help commands={composer.help} onClose={composer.closeHelp} />}
      <p className="told" role="alert">
        {composer.told}
      </p>
      <Suggestions list={composer.completing.list} onTake={composer.completing.take} />
      <Attachments text={composer.text} pasted={composer.pasted} onText={composer.put} />
      <Field composer={composer} mute={mute} />
      <Controls composer={composer} mute={mute} />
    </footer>
  )
}
