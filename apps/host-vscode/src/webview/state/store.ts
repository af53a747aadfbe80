/** The state of this view and the way to its host; parts of the view follow what they show, and nothing else. */
import { Opened, ViewState } from "@belay/interaction/unstable/view"
import type { View } from "@belay/interaction"
import { useState as useLocal, useSyncExternalStore } from "react"
import { api, hear, type Kept, type Place } from "./host.ts"
import * as Told from "./told.ts"

type Listener = () => void

let kept: Kept = api.getState() ?? { task: null }

const keep = (next: Kept): void => {
  kept = next
  api.setState(next)
}

/** Of the task that is shown. */
const ofTask = (): Kept => (kept.task === state.task ? kept : { task: state.task })

/** Where this task was left. */
export const placeOf = (task: string | null): Place | undefined => (kept.task === task ? kept.place : undefined)

export const keepPlace = (place: Place | undefined): void => {
  const { place: _, ...others } = ofTask()
  keep(place === undefined ? others : { ...others, place })
}

/** Whether an entry is open, and opens or closes it; kept while the view is hidden. */
export const useOpened = (id: string): readonly [isOpen: boolean, toggle: () => void] => {
  const [isOpen, setOpen] = useLocal(() => ofTask().opened?.includes(id) === true)
  const toggle = (): void => {
    const { opened = [], ...others } = ofTask()
    keep({ ...others, opened: Opened.change(opened, id, !isOpen) })
    setOpen(!isOpen)
  }
  return [isOpen, toggle]
}

let state = ViewState.initial
const listeners = new Set<Listener>()

export const now = (): ViewState.State => state

const set = (next: ViewState.State): void => {
  if (next === state) return
  state = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: Listener): Listener => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

let written = ""

/** What stands in the composer now. */
export const write = (text: string): void => {
  if (text === written) return
  written = text
  for (const listener of listeners) listener()
}

/** What stands in the composer, for what goes with it. */
export const useWritten = (): string => useSyncExternalStore(subscribe, () => written)

/** A part of the state that keeps its identity while it is the same. */
export const useState = <A>(part: (state: ViewState.State) => A): A =>
  useSyncExternalStore(subscribe, () => part(state))

type Unaddressed<M> = M extends { readonly task: string | null } ? Omit<M, "task"> : never

/** Says something to the host, about the task that is shown. */
export const say = (message: Unaddressed<View.FromView>, task: string | null = state.task): void =>
  // The host's end has no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  api.postMessage({ ...message, task })

export const deed = (name: View.Deed, on?: string): void =>
  say({ type: "deed", deed: name, ...(on === undefined ? {} : { on }) })

type Special = Exclude<View.ToView, ViewState.Numbered | { readonly type: "ping" }>

const { begun, listen, tell } = Told.make<Special>()

export { begun, listen }

const isNumbered = (message: View.ToView): message is ViewState.Numbered =>
  message.type === "snapshot" || message.type === "change" || message.type === "page"

const receive = (message: View.ToView): void => {
  if (message.type === "ping") return say({ type: "pong" }, message.task)
  if (isNumbered(message)) {
    const before = state
    set(ViewState.reduce(state, message))
    if (state.gap && !before.gap) say({ type: "ready" })
    if (state.task !== kept.task) keep(ofTask())
    return
  }
  // What is meant for another task is dropped.
  if (message.task === state.task) tell(message)
}

/** Hears what the host says, which was told that the view begins. */
export const start = (): void =>
  // Only the host that holds this frame can speak to it: other origins are no part of this document's tree.
  hear(({ data, origin }) => {
    if (origin === location.origin || origin.startsWith("vscode-webview:")) receive(data as View.ToView)
  })
