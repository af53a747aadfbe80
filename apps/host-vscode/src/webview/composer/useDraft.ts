/** The text of one task, kept by the host a moment after it was typed, and at once when the view shows another task. */
import { useEffect, useRef, useState as useLocal } from "react"
import { say } from "../store.ts"

/** ms after the last key. */
const keepAfter = 250

export interface Draft {
  readonly text: string
  readonly put: (text: string) => void
  /** It has been said: the host keeps nothing of it. */
  readonly sent: () => void
  /** What the host has kept. */
  readonly given: (draft: string) => void
}

/** `whole`: the text as it is kept. */
export const useDraft = (task: string | null, whole: (text: string) => string): Draft => {
  const [text, setText] = useLocal("")
  const current = useRef({ task, text, kept: text })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const keep = (): void => {
    clearTimeout(timer.current)
    const { kept, task, text } = current.current
    if (kept === text) return
    current.current.kept = text
    say({ type: "draft", text: whole(text) }, task)
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
