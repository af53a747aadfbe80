/**
 * What is allowed here: what a person allowed for the task and those above it, always in its folder, and in every folder
 * by the settings; each can be taken back.
 */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { Grant } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { TaskEngine } from "@belay/task-engine"
import * as FolderGrants from "@belay/task-engine/unstable/folder-grants"
import { Words } from "@belay/interaction"
import type { SettingsFileError } from "@belay/settings/file"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as path from "node:path"
import * as vscode from "vscode"
import { command, perform, Refusal, scoped } from "../../vscode/Bridge.ts"
import * as Home from "../../activation/Home.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as IconText from "../../vscode/IconText.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import * as UserApprovals from "../../settings/UserApprovals.ts"

type Allowed =
  | { readonly of: "task"; readonly entry: TaskStore.Entry; readonly rule: Grant.Rule }
  | { readonly of: "folder"; readonly folder: string; readonly rule: Grant.Rule }
  | { readonly of: "settings"; readonly setting: UserApprovals.Setting }
  /** The settings have it from an earlier version: it is to hold in every folder. */
  | { readonly of: "everywhere"; readonly command: string }

interface Row extends vscode.QuickPickItem {
  readonly allowed?: Allowed
}

const remove: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("close"), tooltip: "Do not allow any more" }
const confirm: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("globe"), tooltip: "Allow in every folder" }

const grants = () => FolderGrants.make(Home.directory())

/** The task and those above it. */
const upFrom = (entry: TaskStore.Entry): ReadonlyArray<TaskStore.Entry> =>
  entry.parent === undefined ? [entry] : [entry, ...upFrom(entry.parent)]

const ofTask = (one: TaskStore.Entry, description: string) =>
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

const rowsOf = (entry: TaskStore.Entry) =>
  Effect.gen(function* () {
    const here = yield* Effect.forEach(upFrom(entry), (one) =>
      ofTask(one, one === entry ? "for this task" : `for "${TaskText.titleOf(one)}"`)
    )
    const folder = entry.node.row.meta.workspace
    const { entries, problems } = yield* grants().of(folder)
    const always = entries
      .filter(({ state }) => state === "here")
      .map(({ rule }): Row => ({
        label: Grant.describe(rule, folder),
        description: `always, in this project (folder ${Words.printable(path.basename(folder))})`,
        buttons: [remove],
        allowed: { of: "folder", folder, rule }
      }))
    const everywhere = yield* grants().everywhere
    const settings = UserApprovals.entries().map((setting): Row => {
      const command = UserApprovals.unconfirmedIn(setting)
      const label = UserApprovals.words(setting)
      const allowed = { of: "settings", setting } as const
      return command === undefined || everywhere.has(command)
        ? { label, description: "in every folder, in your user settings", buttons: [remove], allowed }
        : {
            label,
            description: "in your user settings from an earlier version: asks in each folder",
            buttons: [confirm, remove],
            allowed
          }
    })
    return [...here.flat(), ...always, ...settings, ...problems.map((label): Row => ({ label }))]
  })

const inWords = <A>(stored: Effect.Effect<A, SettingsFileError>) =>
  Effect.mapError(stored, ({ message }) => new Refusal({ line: message }))

const carryOut = (allowed: Allowed) =>
  Effect.gen(function* () {
    if (allowed.of === "settings") return yield* (yield* UserApprovals.UserApprovals).forget(allowed.setting)
    if (allowed.of === "folder") return yield* inWords(grants().remove(allowed.folder, allowed.rule))
    if (allowed.of === "everywhere") return yield* inWords(grants().confirm(allowed.command))
    const { entry, rule } = allowed
    yield* Effect.catchTag(
      (yield* TaskEngine).revoke(entry.node.row.record.id, rule),
      "RequestRefused",
      () =>
        new Refusal({
          line: `"${TaskText.titleOf(entry)}" does not run in this window. Take it back where it runs, or stop the task.`
        })
    )
  })

const settingsRow: Row = { label: "$(gear) Open the settings for approvals" }

const listOf = (entry: TaskStore.Entry) =>
  Effect.gen(function* () {
    const pick = yield* scoped(() => vscode.window.createQuickPick<Row>())
    pick.title = `Allowed in "${TaskText.titleOf(entry)}" besides what the settings allow`
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
      pick.onDidTriggerItemButton(({ button, item: { allowed } }) => {
        if (allowed === undefined) return
        const command = allowed.of === "settings" ? UserApprovals.unconfirmedIn(allowed.setting) : undefined
        const isConfirmed = button === confirm && command !== undefined
        resume(Effect.succeed(isConfirmed ? { of: "everywhere", command } : allowed))
      })
      pick.show()
    })
  }).pipe(Effect.scoped)

export const showAllowed = command("belay.showAllowed", (given) =>
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
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
      yield* carryOut(choice)
      yield* board.refresh
    }
  })
)
