/** What is allowed here: what a person allowed for the task and those above it, and for always; each can be taken back. */
import { Grant } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as vscode from "vscode"
import * as Board from "../Board.ts"
import { command, perform, Refusal, scoped } from "../Bridge.ts"
import { ShownTask } from "../ShownTask.ts"
import * as IconText from "../IconText.ts"
import * as TaskChoice from "../TaskChoice.ts"
import * as TaskItem from "../TaskItem.ts"
import * as UserApprovals from "../UserApprovals.ts"

type Allowed =
  | { readonly of: "task"; readonly entry: Board.Entry; readonly rule: Grant.Rule }
  | { readonly of: "always"; readonly setting: Grant.Setting }

interface Row extends vscode.QuickPickItem {
  readonly allowed?: Allowed
}

const remove: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("close"), tooltip: "Do not allow any more" }

/** The task and those above it. */
const upFrom = (entry: Board.Entry): ReadonlyArray<Board.Entry> =>
  entry.parent === undefined ? [entry] : [entry, ...upFrom(entry.parent)]

const ofTask = (one: Board.Entry, description: string) =>
  Effect.gen(function* () {
    // As it is now: the board may read it later.
    const row = Option.getOrUndefined(yield* (yield* TaskHistory).row(one.node.row.record.id))
    return Grant.read(row?.meta.settings).map((rule): Row => ({
      label: Grant.describe(rule, one.node.row.meta.workspace),
      description,
      buttons: [remove],
      allowed: { of: "task", entry: one, rule }
    }))
  })

const rowsOf = (entry: Board.Entry) =>
  Effect.gen(function* () {
    const here = yield* Effect.forEach(upFrom(entry), (one) =>
      ofTask(one, one === entry ? "for this task" : `for "${TaskItem.titleOf(one)}"`)
    )
    const always = UserApprovals.entries().map((setting): Row => ({
      label: UserApprovals.words(setting),
      description: "always, in your user settings",
      buttons: [remove],
      allowed: { of: "always", setting }
    }))
    return [...here.flat(), ...always]
  })

const takeBack = (allowed: Allowed) =>
  Effect.gen(function* () {
    if (allowed.of === "always") return yield* (yield* UserApprovals.UserApprovals).forget(allowed.setting)
    const { entry, rule } = allowed
    yield* Effect.catchTag(
      (yield* TaskEngine).revoke(entry.node.row.record.id, rule),
      "RequestRefused",
      () =>
        new Refusal({
          line: `"${TaskItem.titleOf(entry)}" does not run in this window. Take it back where it runs, or stop the task.`
        })
    )
  })

const settingsRow: Row = { label: "$(gear) Open the settings for approvals" }

const listOf = (entry: Board.Entry) =>
  Effect.gen(function* () {
    const pick = yield* scoped(() => vscode.window.createQuickPick<Row>())
    pick.title = `Allowed in "${TaskItem.titleOf(entry)}" besides what the settings allow`
    const rows = yield* rowsOf(entry)
    pick.items = [
      ...(rows.length === 0 ? [{ label: "Nothing was allowed beyond one call." }] : rows.map(IconText.row)),
      settingsRow
    ]
    return yield* Effect.callback<Allowed | "settings" | "closed">((resume) => {
      pick.onDidHide(() => resume(Effect.succeed("closed")))
      pick.onDidAccept(() => {
        if (pick.selectedItems[0] === settingsRow) resume(Effect.succeed("settings"))
      })
      pick.onDidTriggerItemButton(({ item: { allowed } }) => {
        if (allowed !== undefined) resume(Effect.succeed(allowed))
      })
      pick.show()
    })
  }).pipe(Effect.scoped)

export const showAllowed = command("belay.showAllowed", (given) =>
  Effect.gen(function* () {
    const board = yield* Board.Board
    const shown = (yield* ShownTask).id()
    const none = "There are no tasks yet."
    const entry = yield* TaskChoice.of(given ?? shown, { title: "Allowed in which task?", none, fits: () => true })
    for (;;) {
      const choice = yield* listOf(entry)
      if (choice === "closed") return
      if (choice === "settings") {
        return yield* perform(() =>
          vscode.commands.executeCommand("workbench.action.openSettings", "@ext:belay.belay approvals")
        )
      }
      yield* takeBack(choice)
      yield* board.refresh
    }
  })
)
