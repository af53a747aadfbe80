/** What is said of commands: which there are, what may be meant, and that nobody knows one. */
import { Completions } from "@belay/interaction/feed"
import * as Effect from "effect/Effect"
import { suggestion } from "../../cli/Arguments.ts"
import * as Help from "../../cli/Help.ts"
import * as Slash from "../../terminal/Slash.ts"
import type { Around } from "./Around.ts"
import * as OwnCommands from "./OwnCommands.ts"

/** What may be meant. */
const mostOffered = 6

/** Those of the interface, and those that can be said to a task of this folder. */
export const help = ({ ground, perform, ui }: Around): void => {
  const own = Help.table(OwnCommands.ownCommands.map(({ description, name }) => [`/${name}`, description] as const))
  const wish = Effect.map(Slash.helpOf(ground.workspace), (text) =>
    ui.commit(["", "Of this terminal", ...own, "", ...text.trimEnd().split("\n"), ""])
  )
  perform(wish)
}

/** What is said of a command that nobody knows, which is sent to no task. */
export const unknown = (name: string, workspace: string) =>
  Effect.map(Slash.commandsIn(workspace), (commands) => {
    const names = [...commands, ...OwnCommands.ownCommands].map((known) => known.name)
    if (names.includes(name)) return undefined
    const close = suggestion(name, names)
    return `No command "/${name}": nothing was sent.${close === undefined ? "" : ` Did you mean /${close}?`}`
  })

/** What may be meant by what stands before the caret. */
export const complete = ({ entry, ground, perform, ui }: Around, line: string, isFirst: boolean): void => {
  const workspace = entry()?.node.row.meta.workspace ?? ground.workspace
  const wish = Effect.gen(function* () {
    const { from, items } = yield* (yield* Completions.Completions).of(workspace, line, isFirst)
    const own = isFirst ? OwnCommands.beginning(line) : []
    const ours = own.map(({ description, name }) => ({ insert: `/${name}`, label: `/${name}`, detail: description }))
    ui.offer(line, from, [...ours, ...items].slice(0, mostOffered))
  })
  perform(wish)
}
