/** Tasks in one line, and the subtasks of one. */
import { Copy, type View, Words } from "@belay/interaction"

export const line = (id: string, title: string, state: Words.State, more: Partial<View.Line> = {}): View.Line => ({
  id,
  title,
  state,
  glyph: Words.signs[state].glyph,
  label: Words.signs[state].label,
  tone: Words.signs[state].tone,
  detail: "",
  cost: "$0.42",
  deeds: [],
  ...more
})

export const children = {
  c1: line("c1", "Write the parser", "done", {
    cost: "$0.21",
    detail: "Parser in src/parse.ts with 14 tests; grammar notes in docs/grammar.md"
  }),
  c2: line("c2", "Wire the CLI", "running", { checklist: "3/5", detail: "editing src/cli.ts", deeds: ["stop"] }),
  c3: line("c3", "Update the docs", "interrupted", {
    label: "Interrupted: VS Code was closed",
    deeds: ["resume", "abandonSubtask", "restartSubtask"]
  })
}

export const begun = (...ids: ReadonlyArray<keyof typeof children>) =>
  ids.map((id) => ({ id, title: children[id].title }))

/** One that was restarted, the new one, and one that cannot be read. */
export const replaced = {
  c1: line("c1", "Write the parser", "interrupted", {
    call: "1",
    label: "Interrupted",
    released: Copy.released("restarted") ?? ""
  }),
  c4: line("c4", "Write the parser in two steps", "queued", { call: "1", label: "Queued, 2nd in line" }),
  c2: line("c2", "", "unreadable", { call: "2", detail: Copy.unreadable, cost: "–" })
}
