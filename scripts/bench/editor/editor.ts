/** What the extension costs in a real VS Code with its real extension host, beside the budgets of its design. */
import { existsSync, readFileSync, statSync } from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Cli from "../../../apps/host-vscode/test/vscode/Cli.ts"
import { browser, isInstalled } from "../../../apps/host-vscode/test/vscode/Installation.ts"
import * as Package from "../../../apps/host-vscode/test/vscode/Package.ts"
import { completes, task } from "../../../apps/host-vscode/test/vscode/Scripts.ts"
import * as Tasks from "../../../apps/host-vscode/test/vscode/Tasks.ts"
import * as VSCode from "../../../apps/host-vscode/test/vscode/VSCode.ts"
import type { Figure, Limit, Measured } from "../figures/figure.ts"
import { single, type Spread, spread } from "../figures/spread.ts"

const EVENTS = 200
const RUNNING = 8
/** Ms from one event to the next: all of them take seconds. */
const APART = 10
const STARTS = 3

const figure = (
  name: string,
  value: number | Spread,
  limit: Limit | number | undefined,
  digits = 0,
  floor?: number | Spread
): Figure => ({
  name: `editor: ${name}`,
  belay: typeof value === "number" ? single(value) : value,
  ...(floor === undefined ? {} : { floor: typeof floor === "number" ? single(floor) : floor }),
  limit: typeof limit === "number" ? { most: limit } : limit,
  digits
})

/** Why there are no figures; nothing is installed for them. */
export const missing = (): string | undefined => {
  if (!isInstalled() || browser() === undefined) return "VS Code is not installed: run the tests of host-vscode once."
  return existsSync(Package.dist) ? undefined : "the extension is not built: run `npm run build`."
}

/** How many commands the extension brings. */
const commands = (): number =>
  JSON.parse(readFileSync(path.join(Package.dist, "package.json"), "utf8")).contributes.commands.length

/** An extension that registers as many commands, and a tree whose rows are there, started at the same moment. */
const registering = () => ({
  "belay-bench.floor-0.0.0": {
    "package.json": JSON.stringify({
      name: "floor",
      publisher: "belay-bench",
      version: "0.0.0",
      engines: { vscode: "^1.100.0" },
      main: "./index.js",
      activationEvents: ["onStartupFinished"],
      extensionKind: ["workspace"],
      contributes: {
        viewsContainers: { activitybar: [{ id: "floor", title: "Floor", icon: "floor.svg" }] },
        views: { floor: [{ id: "floor.rows", name: "Floor" }] }
      }
    }),
    "floor.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"/>',
    "index.js": `const { commands, window } = require("vscode")
exports.activate = ({ subscriptions }) => {
  const rows = Array.from({ length: ${EVENTS} }, (_, n) => "Floor " + n)
  const treeDataProvider = { getChildren: () => rows, getTreeItem: (label) => ({ label }) }
  subscriptions.push(window.createTreeView("floor.rows", { treeDataProvider }))
  for (let n = 0; n < ${commands()}; n++) subscriptions.push(commands.registerCommand("belay-bench." + n, () => {}))
}`
  }
})

/** Of the editor's own list of running extensions: ours, and the floor. */
const started = async (vs: VSCode.VSCode): Promise<Started> => {
  await vs.command("Developer: Show Running Extensions")
  const time = async (name: string): Promise<number> => {
    const row = vs.page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: name })
    const text = await row
      .locator(".activation-time", { hasText: /\d+\s*ms/ })
      .first()
      .innerText()
    return Number(/(\d+)\s*ms/.exec(text)?.[1])
  }
  return { belay: await time("belay.belay"), floor: await time("floor") }
}

interface Started {
  readonly belay: number
  readonly floor: number
}

const activation = (vs: VSCode.VSCode): Promise<number> =>
  vs.host(async (vscode) => {
    const before = performance.now()
    await vscode.extensions.getExtension("belay.belay")?.exports.contributions()
    return performance.now() - before
  })

/** Ms from opening a container of views that is not open to the first row in it. */
const firstRow = async (vs: VSCode.VSCode, container: string, row: RegExp): Promise<number> => {
  const execute = (command: string): Promise<void> =>
    vs.host(async (vscode, name) => void (await vscode.commands.executeCommand(name)), command)
  const before = performance.now()
  await execute(`workbench.view.extension.${container}`)
  await vs.page.locator(".pane .monaco-list-row", { hasText: row }).first().waitFor()
  const shown = performance.now() - before
  await execute("workbench.action.closeSidebar")
  return shown
}

const memory = (vs: VSCode.VSCode): Promise<number> => vs.host(() => process.memoryUsage().rss / 1e6)

/** The memory of hosts of the same window without our extension. */
const withoutExtension = async (vs: VSCode.VSCode): Promise<ReadonlyArray<number>> => {
  const address = new URL(vs.page.url())
  const payload: ReadonlyArray<readonly [string, string]> = JSON.parse(address.searchParams.get("payload") ?? "[]")
  const rest = payload.filter(([name]) => name !== "extensionDevelopmentPath")
  if (rest.length === payload.length) throw new Error("the window does not say that it has the extension")
  address.searchParams.set("payload", JSON.stringify(rest))
  await vs.page.goto(address.href)
  const found: Array<number> = []
  for (let n = 0; n < STARTS; n++) {
    await vs.reload()
    await vs.until("the floor", ({ extensions }) => extensions.getExtension("belay-bench.floor")?.isActive || undefined)
    found.push(await memory(vs))
  }
  return found
}

/** As on any other day: what was compiled before is kept, and there are tasks. */
const startedAgain = async (vs: VSCode.VSCode) => {
  const kept = ["main.js", "composition.js", "worker.js"].map((name) =>
    path.join(vs.env["BELAY_HOME"] ?? "", "cache", "editor", name)
  )
  while (!kept.every((file) => existsSync(file))) await setTimeout(200)
  await vs.host(async (vscode) => void (await vscode.commands.executeCommand("workbench.action.closeSidebar")))
  const starts: Array<Started & { readonly [name in "whole" | "row" | "floorRow" | "memory"]: number }> = []
  for (let n = 0; n < STARTS; n++) {
    await vs.reload()
    const whole = await activation(vs)
    const floorRow = await firstRow(vs, "floor", /Floor \d/)
    const times = await started(vs)
    await vs.reload()
    const row = await firstRow(vs, "belay", /Task \d/)
    starts.push({ ...times, whole, floorRow, row, memory: await memory(vs) })
  }
  const of = (name: keyof (typeof starts)[number]) => spread(starts.map((start) => start[name]))
  return {
    belay: of("belay"),
    floor: of("floor"),
    whole: of("whole"),
    row: of("row"),
    floorRow: of("floorRow"),
    memory: of("memory"),
    floorMemory: spread(await withoutExtension(vs))
  }
}

interface Watch {
  /** From the first one to the last. */
  readonly refreshesPerSecond: number
  readonly delayMs: number
}

/** Counts the tree's refreshes and the host's delays until it is told to stop. */
const watching = (vs: VSCode.VSCode): Promise<void> =>
  vs.host(async (vscode) => {
    const { monitorEventLoopDelay } = process.getBuiltinModule("node:perf_hooks")
    const { contributions } = vscode.extensions.getExtension("belay.belay")?.exports ?? {}
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const state = { refreshes: 0, first: 0, last: 0, delay }
    Object.assign(globalThis, { belayBench: state })
    ;(await contributions()).tree("belay.tasks").onDidChangeTreeData(() => {
      state.last = Date.now()
      if (state.refreshes === 0) state.first = state.last
      state.refreshes += 1
    })
  })

const watched = (vs: VSCode.VSCode): Promise<Watch> =>
  vs.host(() => {
    const { delay, first, last, refreshes } = (globalThis as any).belayBench
    const refreshesPerSecond = refreshes < 2 ? 0 : ((refreshes - 1) * 1000) / (last - first)
    return { refreshesPerSecond, delayMs: delay.percentile(95) / 1e6 }
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

const figuresOf = async (): Promise<ReadonlyArray<Figure>> => {
  const vs = await VSCode.open({
    tasks: [
      task("Watched", { ...completes("Seen"), hold: "watched" }),
      task("Busy", { ...completes("Done"), hold: "busy" })
    ],
    beside: registering()
  })
  const other = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
  try {
    const first = await started(vs)
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
    for (let n = 0; n < EVENTS; n++) {
      await other.commit(Tasks.started(100 + n, `Task ${n}`))
      await setTimeout(APART)
    }
    const { delayMs, refreshesPerSecond } = await watched(vs)
    await other.commit(Tasks.question(100, "Go on?"))
    await vs.tree("Needs you").row("Go on?").waitFor()
    const attention = statSync(path.join(vs.env["BELAY_HOME"] ?? "", "attention.json")).size
    const again = await startedAgain(vs)
    return [
      figure("entry and what it imports at once, bytes", Package.entrySize(), 20_000),
      figure("attention file, bytes", attention, 4096),
      figure(
        "views and commands registered when it starts, ms (floor: as many)",
        first.belay,
        { beyond: 15 },
        0,
        first.floor
      ),
      figure("views and commands registered when it starts again, ms", again.belay, { beyond: 15 }, 0, again.floor),
      figure("full activation, engine included, ms", activationMs, { within: 150 }),
      figure(`full activation again, with ${EVENTS} tasks, ms`, again.whole, { within: 150 }),
      figure(
        `first of ${EVENTS} tasks shown after their view is opened, ms (floor: a tree that is there)`,
        again.row,
        { within: 150 },
        0,
        again.floorRow
      ),
      figure(
        `memory of the extension host with ${EVENTS} tasks, MB (floor: without the extension)`,
        again.memory,
        { beyond: 80 },
        0,
        again.floorMemory
      ),
      figure(`tree refreshes a second under ${EVENTS} events`, refreshesPerSecond, 4, 1),
      figure("extension host's delay under these events, p95, ms", delayMs, { within: 5 }, 1),
      figure("more memory for each running task, MB", (busy - idle) / RUNNING, 25, 1),
      figure("from another process to the tree, ms", treeMs, undefined),
      figure("from the editor to `belay task watch`, ms", cliMs, undefined)
    ]
  } finally {
    await other.close()
    await vs.close()
  }
}

export const measureEditor = async (): Promise<Measured> => ({ figures: await figuresOf(), skipped: [] })
