/**
 * A list in which nothing is chosen by a key that was meant for something else.
 *
 * It opens on a row that says what it is about and does nothing; every choice is a step away from it. What is typed
 * neither filters nor sorts: rows stay where they are. What is chosen in the dead time, which each typed key begins anew,
 * does not count. What a row says is shown as it is.
 */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { Dismissed, scoped } from "./Bridge.ts"
import * as IconText from "./IconText.ts"
import { deadTime } from "./WindowFocus.ts"

export interface Item<A> extends vscode.QuickPickItem {
  /** Absent: the row only says something. */
  readonly choice?: A
}

/** A row that only says something, and looks like it. */
export const said = (label: string, detail?: string): Item<never> => ({
  label,
  iconPath: new vscode.ThemeIcon("info"),
  ...(detail === undefined ? {} : { detail })
})

export const line: Item<never> = { label: "", kind: vscode.QuickPickItemKind.Separator }

export interface Question<A> {
  readonly title: string
  /** At least one row, which is the first. */
  readonly about: readonly [Item<never>, ...ReadonlyArray<Item<never>>]
  readonly items: ReadonlyArray<Item<A>>
}

/** What a person chose. Errors: `Dismissed` when nothing. */
export const choose = <A extends {}>({ about, items, title }: Question<A>): Effect.Effect<A, Dismissed> =>
  Effect.gen(function* () {
    const picker = yield* scoped(() => vscode.window.createQuickPick<Item<A>>())
    const dead = yield* deadTime
    picker.title = title
    picker.ignoreFocusOut = true
    picker.items = [...about, line, ...items].map(IconText.row)
    return yield* Effect.callback<A, Dismissed>((resume) => {
      picker.onDidAccept(() => {
        const choice = picker.selectedItems[0]?.choice
        if (choice !== undefined && dead.isOver()) resume(Effect.succeed(choice))
        // Else the same row could not be chosen again. What says something leads to no answer: keys typed on would give it.
        else picker.selectedItems = []
      })
      // The editor puts what fits first and makes it the chosen one: that is taken back, and no key has chosen it.
      picker.onDidChangeValue((typed) => {
        dead.restart()
        if (typed !== "") picker.value = ""
      })
      picker.onDidHide(() => resume(Effect.fail(new Dismissed())))
      picker.show()
      dead.restart()
    })
  }).pipe(Effect.scoped)
