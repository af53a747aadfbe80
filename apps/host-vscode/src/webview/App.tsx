/** Everything, from top to bottom: header, conversation, what waits for the person, composer. */
import { useEffect } from "react"
import { Announcer } from "./page/Announcer.tsx"
import { Bars } from "./parts/Bars.tsx"
import { Checklist } from "./page/Checklist.tsx"
import { Chord } from "./state/chord.ts"
import { Composer } from "./composer/Composer.tsx"
import { Dock } from "./page/Dock.tsx"
import { Header } from "./parts/Header.tsx"
import { Queue } from "./page/Queue.tsx"
import { useState } from "./state/store.ts"
import { Timeline } from "./page/Timeline.tsx"
import { Welcome } from "./page/Welcome.tsx"

const composer = "[data-region=composer] textarea"

/** Regions in the order in which F6 goes round. */
const regions = ["[data-region=header]", "[data-region=feed]", "[data-region=dock]", "[data-region=composer]"]

const goRound = (back: boolean): void => {
  const all = regions.flatMap((name) => document.querySelector<HTMLElement>(name) ?? [])
  const at = all.findIndex((region) => region.contains(document.activeElement))
  const next = all[(at + (back ? -1 : 1) + all.length) % all.length]
  const target = next?.matches("[tabindex]") === true ? next : next?.querySelector<HTMLElement>("[data-first]")
  target?.focus()
}

export const App = () => {
  const hasBegun = useState((state) => state.n > 0)
  const hasTask = useState((state) => state.header !== null)
  const welcome = useState((state) => state.welcome)
  useEffect(() => {
    const chord = new Chord()
    const keys = (event: KeyboardEvent): void => {
      // The window takes it; what is written here does not.
      if (chord.takes(event, performance.now())) event.preventDefault()
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return
      const area = document.querySelector<HTMLElement>(composer)
      if (event.key === "F6") goRound(event.shiftKey)
      else if (event.key === "Escape" && document.activeElement !== area) area?.focus()
      else return
      event.preventDefault()
      // The window would go on with the same key.
      event.stopPropagation()
    }
    document.addEventListener("keydown", keys, true)
    return () => document.removeEventListener("keydown", keys, true)
  }, [])
  if (!hasBegun) return <p className="loading">Loading…</p>
  return (
    <div className="app" data-loaded="">
      {hasTask ? <Header /> : null}
      {welcome === null ? <Timeline /> : <Welcome welcome={welcome} />}
      <Checklist />
      <Bars />
      <Dock />
      <Queue />
      <Composer />
      <Announcer />
    </div>
  )
}
