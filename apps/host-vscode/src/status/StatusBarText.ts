/** What the status bar says, and what a screen reader says for it. */
import { Words } from "@belay/interaction"

export interface Bar {
  readonly text: string
  readonly spoken: string
}

export interface Counts {
  readonly running: number
  readonly needsYou: number
  readonly restricted: boolean
}

const tasks = (count: number): string => (count === 1 ? "1 task" : `${count} tasks`)

/** What waits for a person comes before what works; a folder that is not trusted is said always. */
export const tasksBar = ({ needsYou, restricted, running }: Counts): Bar => {
  const needs = needsYou === 1 ? "needs you" : "need you"
  const [icon, words, spoken] =
    needsYou > 0
      ? ["bell-dot", `${needsYou} ${needs}`, `${tasks(needsYou)} ${needs}`]
      : running > 0
        ? ["sync", `${running} running`, `${tasks(running)} ${running === 1 ? "is" : "are"} running`]
        : ["list-tree", "", "no task is running"]
  const word = restricted ? "Restricted" : ""
  const text = [`$(${icon})`, words, ...(word === "" ? [] : [`$(shield) ${word}`])].filter((part) => part !== "")
  return { text: text.join(" "), spoken: `Belay: ${spoken}${restricted ? ", restricted mode" : ""}` }
}

export interface Shown {
  readonly title: string
  readonly mode: "plan" | "act"
  readonly model: string
  /** US dollars, with subtasks; null is unknown. */
  readonly costUsd: number | null
}

/** `Act · opus-4.8 · $0.42`. */
export const shownBar = ({ costUsd, mode, model, title }: Shown): Bar => {
  const short = Words.printable(model).replace(/^claude-/u, "")
  const cost = Words.money(costUsd)
  const spoken = costUsd === null ? "cost unknown" : `cost ${cost}`
  return {
    text: `${Words.modes[mode]} · ${short} · ${cost}`,
    spoken: `Belay: ${Words.modes[mode]} mode, model ${short}, ${spoken}, of ${Words.printable(title)}`
  }
}
