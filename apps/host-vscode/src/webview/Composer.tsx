/** What a person writes to this task and to no other: kept as a draft, changed by nothing, sent by Enter. */
import { type View, Words } from "@belay/task-engine/protocol"
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState as useLocal } from "react"
import { deed, listen, now, say, useState } from "./store.ts"

/** ms after the last key. */
const keepAfter = 250

const tallest = 240

const Mode = ({ mode }: { readonly mode: "plan" | "act" }) => (
  <div className="mode" role="radiogroup" aria-label="Mode">
    {(["plan", "act"] as const).map((one) => (
      <button
        key={one}
        type="button"
        role="radio"
        aria-checked={mode === one}
        tabIndex={mode === one ? 0 : -1}
        onClick={() => mode === one || say({ type: "mode", mode: one })}
        onKeyDown={({ currentTarget, key }) => {
          if (!key.startsWith("Arrow")) return
          const other = [...(currentTarget.parentElement?.children ?? [])].find((child) => child !== currentTarget)
          if (other instanceof HTMLElement) other.focus()
        }}
      >
        {Words.modes[one]}
      </button>
    ))}
  </div>
)

/** The text of one task, kept by the host a moment after it was typed, and at once when the view shows another task. */
const useDraft = (task: string | null) => {
  const [text, setText] = useLocal("")
  const current = useRef({ task, text, kept: text })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const keep = (): void => {
    clearTimeout(timer.current)
    const { kept, task, text } = current.current
    if (kept === text) return
    current.current.kept = text
    say({ type: "draft", text }, task)
  }
  const put = (next: string): void => {
    current.current.text = next
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(keep, keepAfter)
  }
  useEffect(() => {
    addEventListener("blur", keep)
    return () => {
      removeEventListener("blur", keep)
      keep()
    }
  }, [])
  return {
    text,
    put,
    /** The host keeps nothing of it. */
    sent: (): void => {
      put("")
      clearTimeout(timer.current)
      current.current.kept = ""
    },
    given: (draft: string): void => {
      current.current = { task, text: draft, kept: draft }
      setText(draft)
    }
  }
}

export const Composer = () => {
  const task = useState((state) => state.task)
  return <ComposerOf key={task} task={task} />
}

const placeholderOf = (header: View.Header | null): string => {
  if (header === null) return "What is to be done?"
  return header.done ? `Continue "${header.title}" in a new task` : `Message to "${header.title}"`
}

const ComposerOf = ({ task }: { readonly task: string | null }) => {
  const header = useState((state) => state.header)
  const welcome = useState((state) => state.welcome)
  const { given, put, sent, text } = useDraft(task)
  const area = useRef<HTMLTextAreaElement>(null)
  const mute = header?.mute ?? (welcome?.canStart === false ? welcome.text : undefined)
  const mode = header?.mode ?? welcome?.mode ?? "act"
  const stops = header?.deeds.includes("stop") === true

  useLayoutEffect(() => given(now().draft), [])
  useLayoutEffect(() => {
    const { current } = area
    if (current === null) return
    current.style.height = "auto"
    current.style.height = `${Math.min(tallest, current.scrollHeight + 2)}px`
  }, [text])
  useEffect(
    () =>
      listen((message) => {
        if (message.type === "focus" && message.what === "composer") area.current?.focus()
        if (message.type !== "returned") return
        const before = area.current?.value ?? ""
        put(before === "" ? message.text : `${before}${before.endsWith("\n") ? "" : " "}${message.text}`)
      }),
    []
  )

  const send = (): void => {
    if (text.trim() === "" || mute !== undefined) return
    say({ type: "send", text })
    sent()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const label = placeholderOf(header)
  return (
    <footer className="composer" data-region="composer">
      {mute === undefined || header === null ? null : (
        <p className="muted" id="mute">
          {mute}
        </p>
      )}
      <textarea
        ref={area}
        rows={2}
        data-first=""
        aria-label={label}
        placeholder={label}
        value={text}
        disabled={mute !== undefined}
        aria-describedby={mute === undefined ? undefined : "mute"}
        onChange={({ target }) => put(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="controls">
        {header?.done === true ? null : <Mode mode={mode} />}
        {header === null ? null : (
          <button type="button" className="quiet" onClick={() => deed("showOptions")} aria-haspopup="dialog">
            {header.model.replace(/^claude-/u, "")} ▾
          </button>
        )}
        <span className="space" />
        {stops ? (
          <button type="button" className="secondary" onClick={() => deed("stop")}>
            Stop
          </button>
        ) : null}
        <button type="button" className="primary" disabled={text.trim() === "" || mute !== undefined} onClick={send}>
          {header?.queues === true ? "Queue" : "Send"}
        </button>
      </div>
    </footer>
  )
}
