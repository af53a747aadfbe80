/** What the extension costs in a real VS Code with its real extension host, beside the budgets of its design. */
import { existsSync, statSync } from "node:fs"
import * as path from "node:path"
import * as Cli from "../../apps/host-vscode/test/vscode/Cli.ts"
import { browser, isInstalled } from "../../apps/host-vscode/test/vscode/Installation.ts"
import * as Package from "../../apps/host-vscode/test/vscode/Package.ts"
import { completes, task } from "../../apps/host-vscode/test/vscode/Scripts.ts"
import * as Tasks from "../../apps/host-vscode/test/vscode/Tasks.ts"
import * as VSCode from "../../apps/host-vscode/test/vscode/VSCode.ts"
import type { Figure } from "./measure.ts"

const EVENTS = 200
const RUNNING = 8

const figure = (name: string, value: number, most: number | undefined, digits = 0): Figure => ({
  name: `editor: ${name}`,
  belay: { median: value, min: value, max: value },
  limit: most === undefined ? undefined : { most },
  digits
})

/** Why there are no figures; nothing is installed for them. */
export const missing = (): string | undefined => {
  if (!isInstalled() || browser() === undefined) return "VS Code is not installed: run the tests of host-vscode once."
  return existsSync(Package.dist) ? undefined : "the extension is not built: run `npm run build`."
}

/** Of the editor's own list of running extensions. */
const stub = async (vs: VSCode.VSCode): Promise<number> => {
  await vs.command("Developer: Show Running Extensions")
  const row = vs.page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: "belay.belay" }).first()
  const text = await row.locator(".activation-time").innerText()
  return Number(/(\d+)\s*ms/.exec(text)?.[1] ?? Number.NaN)
}

const activation = (vs: VSCode.VSCode): Promise<number> =>
  vs.host(async (vscode) => {
    const before = performance.now()
    await vscode.extensions.getExtension("belay.belay")?.exports.contributions()
    return performance.now() - before
  })

const memory = (vs: VSCode.VSCode): Promise<number> => vs.host(() => process.memoryUsage().rss / 1e6)

interface Watch {
  readonly refreshes: number
  readonly seconds: number
  readonly delayMs: number
}

/** Counts the tree's refreshes and the host's delays until it is told to stop. */
const watching = (vs: VSCode.VSCode): Promise<void> =>
  vs.host(async (vscode) => {
    const { monitorEventLoopDelay } = process.getBuiltinModule("node:perf_hooks")
    const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const state = { refreshes: 0, last: 0, since: performance.now(), delay }
    Object.assign(globalThis, { belayBench: state })
    ;(await contributions()).tree("belay.tasks").onDidChangeTreeData(() => {
      state.refreshes += 1
      state.last = Date.now()
    })
  })

const watched = (vs: VSCode.VSCode): Promise<Watch> =>
  vs.host(() => {
    const { delay, refreshes, since } = (globalThis as any).belayBench
    return { refreshes, seconds: (performance.now() - since) / 1000, delayMs: delay.percentile(95) / 1e6 }
  })

const lastRefresh = (vs: VSCode.VSCode): Promise<number> => vs.host(() => (globalThis as any).belayBench.last)

/** Ms from a commit of another process to the row that shows it. */
const toTree = async (vs: VSCode.VSCode, other: Tasks.Owner): Promise<number> => {
  await other.commit(Tasks.started(1, "Cut the release"))
  await vs.tree("Tasks").row("Cut the release").waitFor()
  const at = Date.now()
  await other.commit(Tasks.ended(1, "succeeded"))
  await vs.tree("Tasks").row("Cut the release").filter({ hasText: "Done" }).waitFor()
  return (await lastRefresh(vs)) - at
}

/** Ms from an event in the editor to the line of `belay task watch`. */
const toCli = async (vs: VSCode.VSCode): Promise<number> => {
  const id = await vs.host((vscode) => vscode.commands.executeCommand("belay.newTask", "Watched"))
  const watch = Cli.start(vs, ["task", "watch", String(id), "--output", "stream-json"])
  await watch.waitForLine(() => true)
  vs.model.release("watched")
  const line = await watch.waitForLine((line) => line.includes("task.completed"))
  const seen = Date.now()
  await watch.exit
  return seen - Date.parse(JSON.parse(line).ts)
}

export const measureEditor = async (): Promise<ReadonlyArray<Figure>> => {
  const vs = await VSCode.open({
    tasks: [
      task("Watched", { ...completes("Seen"), hold: "watched" }),
      task("Busy", { ...completes("Done"), hold: "busy" })
    ]
  })
  const other = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
  try {
    const stubMs = await stub(vs)
    const activationMs = await activation(vs)
    await vs.showTrees()
    await watching(vs)
    const treeMs = await toTree(vs, other)
    const cliMs = await toCli(vs)
    const idle = await memory(vs)
    for (let n = 0; n < RUNNING; n++) {
      await vs.host((vscode) => vscode.commands.executeCommand("belay.newTask", "Busy"))
    }
    const busy = await memory(vs)
    await watching(vs)
    for (let n = 0; n < EVENTS; n++) await other.commit(Tasks.started(100 + n, `Task ${n}`))
    const { delayMs, refreshes, seconds } = await watched(vs)
    await other.commit(Tasks.question(100, "Go on?"))
    await vs.tree("Needs you").row("Go on?").waitFor()
    const attention = statSync(path.join(vs.env["BELAY_HOME"] ?? "", "attention.json")).size
    return [
      figure("entry and what it imports at once, bytes", Package.entrySize(), 20_000),
      figure("attention file, bytes", attention, 4096),
      figure("activation when it starts, ms", stubMs, 15),
      figure("full activation, ms", activationMs, 150),
      figure(`tree refreshes a second under ${EVENTS} events`, refreshes / seconds, 4, 1),
      figure("extension host's delay under these events, p95, ms", delayMs, 5, 1),
      figure("more memory for each running task, MB", (busy - idle) / RUNNING, 25, 1),
      figure("from another process to the tree, ms", treeMs, undefined),
      figure("from the editor to `belay task watch`, ms", cliMs, undefined)
    ]
  } finally {
    await other.close()
    await vs.close()
  }
}
