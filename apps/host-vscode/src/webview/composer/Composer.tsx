/** What a person writes to this task and to no other: kept as a draft, changed by nothing, sent by Enter. */
import type { View } from "@belay/interaction"
import { useLayoutEffect } from "react"
import { Attachments } from "./Attachments.tsx"
import { Icon } from "../parts/Icon.tsx"
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

const placeholderOf = ({ asks, header }: Pick<View.Whole, "asks" | "header">): string => {
  if (header === null) return "What would you like to do?"
  if (asks.some(({ kind }) => kind === "plan"))
    return "Say what the plan should say, or what goes with the switch to Act"
  if (asks.some(({ kind }) => kind === "question")) return "Answer in your own words"
  return header.done ? `Continue "${header.title}" in a new task` : `Message to "${header.title}"`
}

interface Of {
  readonly composer: ReturnType<typeof useComposer>
  /** Why nothing can be said. */
  readonly mute: string | undefined
}

const Field = ({ composer, mute }: Of) => {
  const { area, completing, text } = composer
  const label = useState(placeholderOf)
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
      rows={1}
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

const Model = ({ model, price }: { readonly model: string; readonly price?: string | undefined }) => (
  <button
    type="button"
    className="quiet model"
    onClick={() => deed("chooseTaskModel")}
    aria-haspopup="dialog"
    aria-label={`Model: ${model}. Choose another one`}
    title={price === undefined ? model : `${model}, ${price}`}
  >
    <span className="text">{model.replace(/^claude-/u, "")}</span>
    <Icon name="chevron-down" />
  </button>
)

const Approvals = ({ approvals }: { readonly approvals: string }) => (
  <button
    type="button"
    className="quiet approvals"
    onClick={() => deed("chooseApprovals")}
    aria-haspopup="dialog"
    aria-label={`Runs without asking: ${approvals}. Change it for this task`}
    title={`Runs without asking: ${approvals}`}
  >
    <Icon name="shield" />
    <span className="text">{approvals}</span>
  </button>
)

const sendTitle = (header: View.Header | null, answers: boolean): string =>
  answers ? "Send" : header?.queues === true ? "Queue" : "Send"

const Controls = ({ composer, mute }: Of) => {
  const header = useState((state) => state.header)
  const welcome = useState((state) => state.welcome)
  const hasPictures = useState((state) => state.pictures.length > 0)
  const answers = useState((state) => state.asks.some(({ kind }) => kind === "plan" || kind === "question"))
  const isEmpty = composer.text.trim() === "" && !hasPictures
  const model = header?.model ?? welcome?.model
  const approvals = header?.approvals ?? welcome?.approvals
  const isMute = mute !== undefined
  const title = sendTitle(header, answers)
  return (
    <div className="controls">
      {header?.done === true ? null : <Mode mode={header?.mode ?? welcome?.mode ?? "act"} title={header?.title} />}
      {model === undefined ? null : <Model model={model} price={header?.price ?? welcome?.price} />}
      {approvals === undefined || header?.done === true ? null : <Approvals approvals={approvals} />}
      <span className="space" />
      <button
        type="button"
        className="quiet"
        aria-label="Mention"
        title="Mention a file"
        disabled={isMute}
        onClick={composer.mention}
      >
        <Icon name="mention" />
      </button>
      <button
        type="button"
        className="quiet"
        aria-label="Attach"
        title="Attach images"
        disabled={isMute}
        onClick={() => say({ type: "choose" })}
      >
        <Icon name="attach" />
      </button>
      {header?.deeds.includes("stop") === true ? (
        <button type="button" className="secondary" aria-label="Stop" title="Stop" onClick={() => deed("stop")}>
          <Icon name="debug-stop" />
        </button>
      ) : null}
      <button
        type="button"
        className="primary send"
        aria-label={title}
        title={title}
        disabled={isEmpty || isMute}
        onClick={composer.send}
      >
        <Icon name="arrow-up" />
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
