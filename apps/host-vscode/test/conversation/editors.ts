/** Several tasks in views of their own, and views that answer nothing. */
import { assert, it, vi } from "vitest"
import { completes, task } from "../vscode/Scripts.ts"
import * as View from "../vscode/View.ts"
import type { VSCode } from "../vscode/VSCode.ts"
import type { Place } from "./Place.ts"
import * as Webviews from "./webviews.ts"
import { patience } from "../vscode/VSCode.ts"

/** A view is looked at every one and a half seconds: more often until this is undone. */
const hasten = async ({ host }: VSCode): Promise<() => Promise<unknown>> => {
  await host(() => {
    const apply = (timer: typeof setTimeout, _: unknown, [run, ms, ...more]: [() => void, number]) =>
      timer(run, ms === 1500 ? 600 : ms, ...more)
    Object.assign(globalThis, { before: setTimeout, setTimeout: new Proxy(setTimeout, { apply }) })
  })
  return () => host(() => void Object.assign(globalThis, { setTimeout: (globalThis as any).before }))
}

const streams = (color: string, gate: string) => ({
  content: [
    { type: "text" as const, text: Array.from({ length: 50 }, (_, at) => `${color} ${at}`).join(" ") },
    ...(completes(`Painted ${color}`).content ?? [])
  ],
  hold: gate,
  holdAt: 6
})

export const tasks = [
  task("Paint it red", streams("red", "paint")),
  task("Paint it blue", streams("blue", "paint")),
  task("Count apples", { ...completes("Counted apples"), hold: "apples" }, completes("All apples")),
  task("Count pears", { ...completes("Counted pears"), hold: "pears" }, completes("All pears"))
]

export const stories = (place: Place): void => {
  let left: View.View
  let right: View.View

  it("shows the task that was gone to last, with its draft, however quickly one goes between answers that arrive", async () => {
    const { begin, title, vs } = place
    const live = (color: string) => place.view.frame.getByTestId("live").getByText(`${color} 0`)
    const ids: Array<string> = []
    for (const color of ["red", "blue"]) {
      ids.push(await begin(`Paint it ${color}`))
      await title(`Paint it ${color}`)
      await live(color).waitFor()
      await place.view.composer.fill(`About ${color}`)
    }
    const [red, blue] = ids
    const go = (to: ReadonlyArray<string | undefined>) =>
      vs.host(async (vscode, all) => {
        await Promise.all(all.map((id) => vscode.commands.executeCommand("belay.openTask", id)))
      }, to)
    for (const [first, last, color, other] of [
      [red, blue, "blue", "red"],
      [blue, red, "red", "blue"]
    ] as const) {
      await go(Array.from({ length: 10 }, () => [first, last]).flat())
      await title(`Paint it ${color}`)
      // Nothing more arrives.
      await live(color).waitFor()
      assert.notInclude(await place.view.frame.locator("[data-region=feed]").innerText(), other)
      assert.equal(await place.view.composer.inputValue(), `About ${color}`)
    }
  })

  it("goes on with tasks whose views are closed, and keeps nothing of an editor that was closed", async () => {
    const { listed, title, vs } = place
    const run = (...commands: ReadonlyArray<string>) =>
      vs.host(async (vscode, all) => {
        for (const name of all) await vscode.commands.executeCommand(name)
      }, commands)
    const { followed, held, undo } = await Webviews.follow(vs)
    const once = ["belay.newTaskInEditor", "workbench.action.closeActiveEditor"]
    await run(...once, ...once, ...once, "workbench.action.closeSidebar", "workbench.action.closeAuxiliaryBar")
    vs.model.release("paint")
    await listed("Done: Painted", 2)
    assert.equal(await followed(), 3)
    await vi.waitFor(async () => assert.equal(await held(), 0), patience)
    await undo()
    await vs.showTrees()
    await title("Paint it red")
    await place.view.row("Painted red").waitFor()
  })

  it("shows tasks in editors, where what is said and chosen is for one of them alone", async () => {
    const { begin, inEditor, vs } = place
    const apples = await begin("Count apples")
    const pears = await begin("Count pears")
    left = await inEditor(apples)
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("workbench.action.newGroupRight")))
    right = await inEditor(pears)
    await left.button("Queue").waitFor()
    await left.send("Red ones only")
    await right.button("Queue").waitFor()
    await right.send("Green ones only")
    await left.composer.fill("For apples")
    // Messages of the window cover it.
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("notifications.hideList")))
    await right.frame.getByRole("radio", { name: "Plan" }).click()
    await right.frame.getByRole("radio", { name: "Plan", checked: true }).waitFor()
    await left.frame.getByRole("radio", { name: "Act", checked: true }).waitFor()
    await left.frame.locator(".queue", { hasText: "Red" }).waitFor()
    assert.notInclude(await left.frame.locator(".queue").innerText(), "Green")
    assert.notInclude(await right.frame.locator(".queue").innerText(), "Red")
    assert.equal(await right.composer.inputValue(), "")
    vs.model.release("apples")
    await left.row("All apples").waitFor()
    assert.notInclude(await right.frame.locator("[data-region=feed]").innerText(), "apples")
    // The one that it has.
    await inEditor(apples)
    const tabs = () =>
      vs.host((vscode) => vscode.window.tabGroups.all.map((group) => group.tabs.map(({ label }) => label)))
    assert.deepEqual(
      (await tabs()).flat().flatMap((label) => /Count .*/u.exec(label) ?? []),
      ["Count apples", "Count pears"]
    )
    vs.model.release("pears")
  })

  it("revives editors that answer nothing or take no document, and says so", async () => {
    const { vs } = place
    // A view that hears nothing of what it is sent; a blocked thread would be the one of the whole window here.
    const deafen = ({ frame }: View.View) =>
      frame.evaluate("Object.defineProperty(MessageEvent.prototype, 'data', { get: () => ({}) })")
    const end = ({ place }: View.View) => place.evaluate((frame) => frame.setAttribute("src", "about:blank"))
    const revived = (where: string): Promise<View.View> =>
      View.find(
        vs.page,
        async ({ frame }) =>
          (await frame.locator("h1", { hasText: where }).isVisible()) &&
          (await frame.locator(".bar", { hasText: "The view stopped answering and was reloaded." }).isVisible())
      )
    const undo = await hasten(vs)
    await Promise.all([deafen(left), end(right)])
    await Promise.all([revived("Count apples"), revived("Count pears")])
    await undo()
  })
}
