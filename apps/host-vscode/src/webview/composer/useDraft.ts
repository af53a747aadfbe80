/**
 * The text of one task, kept by the host at once when it was left alone before, else a moment after it was typed: a view
 * that is hidden ends without a word. It is kept at once, too, when the view shows another task.
 */
import { useEffect, useRef, useState as useLocal } from "react"
import { say, write } from "../state/store.ts"

/** ms between what is kept. */
const pace = 250

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
  /** Whether there was something to keep. */
  const keep = (): boolean => {
    const { kept, task, text } = current.current
    if (kept === text) return false
    current.current.kept = text
    say({ type: "draft", text: whole(text) }, task)
    return true
  }
  const keepOn = (): void => {
    timer.current = keep() ? setTimeout(keepOn, pace) : undefined
  }
  const show = (next: string): void => {
    setText(next)
    write(next)
  }
  const put = (next: string): void => {
    current.current.text = next
    show(next)
    if (timer.current === undefined) keepOn()
  }
  useEffect(() => {
    addEventListener("blur", keep)
    return () => {
      removeEventListener("blur", keep)
      clearTimeout(timer.current)
      keep()
    }
  }, [])
  return {
    text,
    put,
    sent: (): void => {
      current.current = { task, text: "", kept: "" }
      show("")
    },
    given: (draft: string): void => {
      current.current = { task, text: draft, kept: draft }
      show(draft)
    }
  }
}
