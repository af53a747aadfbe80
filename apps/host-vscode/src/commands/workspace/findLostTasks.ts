/**
 * Find lost tasks: what other agents on this machine have lost, in the list of `belay rescue`; one of them, or all that can be
 * helped, are imported with their trees. The look writes nothing.
 */
import type { Places, Rescue } from "@belay/history-interop"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { Bridge, chosen, command } from "../../vscode/Bridge.ts"
import * as Importing from "./Importing.ts"

interface Item extends vscode.QuickPickItem {
  /** The tasks that it stands for; none of a heading. */
  readonly entries: ReadonlyArray<Rescue.FoundText.Entry>
}

const itemsOf = (entries: ReadonlyArray<Rescue.FoundText.Entry>): ReadonlyArray<Item> => {
  const helped = entries.filter(({ task }) => task.damages.some(({ repair }) => repair !== "none"))
  const all = { label: `$(cloud-download) Import all that can be helped (${helped.length})`, entries: helped }
  const headings = [...new Set(entries.map(({ heading }) => heading))]
  return [
    ...(helped.length > 1 ? [all] : []),
    ...headings.flatMap((heading): ReadonlyArray<Item> => [
      { label: heading, kind: vscode.QuickPickItemKind.Separator, entries: [] },
      ...entries
        .filter((entry) => entry.heading === heading)
        .map((entry) => ({
          label: entry.title,
          description: `${entry.age}  ${entry.ref}`,
          detail: entry.evidence,
          entries: [entry]
        }))
    ])
  ]
}

const look = (places: ReadonlyArray<Places.Place>) =>
  Effect.gen(function* () {
    const { Rescue } = yield* Importing.interop
    return yield* Importing.inProgress("Looking for lost tasks", (told) =>
      Rescue.Look.at(places, { progress: (done, total) => Effect.sync(() => told(`${done} of ${total}`)) })
    )
  })

/** True when what was chosen is to be imported; what is known of it can be looked at first. */
const agreed = (entries: ReadonlyArray<Rescue.FoundText.Entry>, details: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [first] = entries
    const line =
      entries.length === 1 && first !== undefined
        ? `${first.title}: ${first.evidence}.`
        : `${entries.length} damaged tasks can be imported with what belongs to them.`
    const ask = chosen(() => vscode.window.showInformationMessage(line, "Import", "Details"))
    for (let answer = yield* ask; answer === "Details"; answer = yield* ask) yield* Importing.showDetails(line, details)
    return true
  })

/** An argument is a folder to look into, in place of all that are known. Gives what was imported. */
export const findLostTasks = command("belay.findLostTasks", (given) =>
  Effect.gen(function* () {
    const { Agent, Places, ReportText, Rescue } = yield* Importing.interop
    const { context } = yield* Bridge
    const beside = [path.dirname(context.globalStorageUri.fsPath)]
    const looked = yield* look(typeof given === "string" ? Places.within(given) : Places.find(beside))
    const found = Rescue.Look.report(looked)
    const now = yield* Clock.currentTimeMillis
    const entries = Rescue.FoundText.entries(found.tasks, now)
    if (entries.length === 0) {
      const line = `Nothing is damaged in ${found.tasks.length} tasks of other agents.`
      void vscode.window.showInformationMessage(line)
      return undefined
    }
    const picked = yield* chosen((token) =>
      vscode.window.showQuickPick(
        itemsOf(entries),
        { title: "Lost tasks of other agents", matchOnDescription: true, matchOnDetail: true },
        token
      )
    )
    const details = picked.entries.flatMap(({ task }) => [...Rescue.FoundText.one(task, found.tasks), ""])
    yield* agreed(picked.entries, details)
    const refs = Rescue.Chosen.treeOf(
      found,
      picked.entries.map(({ task }) => task.ref)
    )
    const options = yield* Importing.options
    const report = yield* Importing.inProgress("Importing", () => Rescue.TakeOver.run(looked, refs, options))
    const names = new Set(picked.entries.map(({ task }) => Agent.names[task.agent]))
    yield* Importing.finish(report, [...names].join(", "), ReportText.lines(report))
    return report
  })
)
