/** Completion in a text area: asked of the host at each key, never waited for. */
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState as useLocal } from "react"
import { listen, say } from "../state/store.ts"
import * as completion from "./completion.ts"

export interface Completing {
  readonly list: completion.List | undefined
  /** Something was typed. */
  readonly look: () => void
  /** The caret may have moved. */
  readonly check: () => void
  readonly close: () => void
  readonly take: (at: number) => void
  /** True: the key was meant for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean
}

export const useCompletion = (area: RefObject<HTMLTextAreaElement | null>, put: (text: string) => void): Completing => {
  const [state, setState] = useLocal(completion.initial)
  const current = useRef(state)
  const asked = useRef<completion.Question>(undefined)
  const set = (next: completion.State): void => {
    current.current = next
    setState(next)
  }
  useEffect(
    () => listen((message) => message.type === "completions" && set(completion.answered(current.current, message))),
    []
  )
  const here = (): completion.Question | undefined => {
    const field = area.current
    if (field === null || field.selectionStart !== field.selectionEnd) return undefined
    return completion.question(field.value, field.selectionStart)
  }
  const look = (): void => {
    asked.current = here()
    set(completion.typed(current.current, asked.current !== undefined))
    if (asked.current !== undefined) say({ type: "complete", n: current.current.n, ...asked.current })
  }
  const close = (): void => set(completion.closed(current.current))
  const take = (at: number): void => {
    const field = area.current
    const { list } = current.current
    const item = list?.items[at]
    if (field === null || list === undefined || item === undefined) return
    const caret = field.selectionStart
    const { goesOn, text } = completion.inserted(field.value.slice(caret), item)
    field.setRangeText(text, list.from, caret, "end")
    put(field.value)
    if (goesOn) look()
    else close()
  }
  const onKey = (event: KeyboardEvent): boolean => {
    const { list } = current.current
    if (list === undefined || event.ctrlKey || event.altKey || event.metaKey) return false
    const isTaking = (event.key === "Enter" || event.key === "Tab") && !event.shiftKey
    if (event.key === "ArrowDown") set(completion.moved(current.current, 1))
    else if (event.key === "ArrowUp") set(completion.moved(current.current, -1))
    else if (event.key === "Escape") close()
    else if (!isTaking) return false
    // What is shown does not fit to what was typed since: the key sends nothing and chooses nothing.
    else if (!list.isStale) take(list.active)
    event.preventDefault()
    return true
  }
  const check = (): void => {
    const { line } = here() ?? {}
    if (current.current.list !== undefined && line !== asked.current?.line) close()
  }
  return { list: state.list, look, check, close, take, onKey }
}
