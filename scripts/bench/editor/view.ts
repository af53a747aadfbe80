/** What the view of a conversation costs in a real VS Code, in Chromium, beside the budgets of its design. */
import { statSync } from "node:fs"
import * as path from "node:path"
import * as Asks from "../../../apps/host-vscode/test/vscode/Asks.ts"
import * as Cli from "../../../apps/host-vscode/test/vscode/Cli.ts"
import * as Package from "../../../apps/host-vscode/test/vscode/Package.ts"
import { completes, task, use } from "../../../apps/host-vscode/test/vscode/Scripts.ts"
import * as Tasks from "../../../apps/host-vscode/test/vscode/Tasks.ts"
import * as View from "../../../apps/host-vscode/test/vscode/View.ts"
import * as VSCode from "../../../apps/host-vscode/test/vscode/VSCode.ts"
import type { Figure, Limit, Measured } from "../figures/figure.ts"
import { single, type Spread, spread } from "../figures/spread.ts"
import * as Typing from "./typing.ts"
import * as Probe from "./viewProbe.ts"

type Frame = View.View["frame"]

const ROWS = 5000
const OPENINGS = 5
/** 100 pieces a second for half a minute. */
const PIECES = 3000
const TURNS = 100
const KEYS = 60
const title = "A long conversation"

const figure = (name: string, belay: number | Spread, limit?: Limit | number, floor?: Spread, digits = 1): Figure => ({
  name: `view: ${name}`,
  belay: typeof belay === "number" ? single(belay) : belay,
  ...(floor === undefined ? {} : { floor }),
  limit: typeof limit === "number" ? { most: limit } : limit,
  digits
})

const p95 = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * 0.95)] ?? Number.NaN

const answer = (at: number): string =>
  `Part ${at} of **${ROWS}**: \`src/file${at}.ts\` is read, and [its test](test/file${at}.test.ts) runs.\n\n- one\n- two`

/** Turns of a person and a model, half of the rows each. */
const history = async (vs: VSCode.VSCode): Promise<void> => {
  const owner = await Tasks.owner(vs.env["BELAY_HOME"] ?? "")
  await owner.commit(Tasks.started(1, title))
  for (let at = 1; at < ROWS; at += 500) {
    const pairs = Array.from({ length: 250 }, (_, pair) => [
      Tasks.said(1, `And part ${at + pair}?`),
      Tasks.answered(1, answer(at + pair))
    ])
    await owner.commit(pairs.flat())
  }
  await owner.commit(Tasks.stopped(1))
  await owner.close()
}

const execute = (vs: VSCode.VSCode, command: string): Promise<void> =>
  vs.host(async (vscode, command) => void (await vscode.commands.executeCommand(command)), command)

const hide = (vs: VSCode.VSCode): Promise<void> => execute(vs, "workbench.action.closeAuxiliaryBar")

interface Opening {
  readonly frame: Frame
  readonly whole: number
  readonly script: number
  readonly sent: Probe.Sent
}

/** The view is made anew each time it is shown; ms from the command to the picture. */
const opened = async (vs: VSCode.VSCode): Promise<Opening> => {
  await hide(vs)
  await Probe.sent(vs)
  const at = await vs.host((vscode) => {
    const at = Date.now()
    void vscode.commands.executeCommand("belay.task.focus")
    return at
  })
  const { frame } = await View.find(vs.page)
  const { at: seen, script } = await Probe.painted(frame)
  return { frame, whole: seen - at, script, sent: await Probe.sent(vs) }
}

/** The same of a view with nothing but text. */
const plain = async (vs: VSCode.VSCode): Promise<number> => {
  const at = await vs.host((vscode) => {
    const at = Date.now()
    const panel = vscode.window.createWebviewPanel("bench.plain", "Plain", 1, { enableScripts: true })
    const entry = "<p role='article'>An entry of a conversation that is shown as it is.</p>"
    panel.webview.html = `<!DOCTYPE html><html><body class="plain">${entry.repeat(100)}</body></html>`
    return at
  })
  const find = async (): Promise<Frame> => {
    const deadline = performance.now() + 60_000
    while (performance.now() < deadline) {
      for (const frame of vs.page.frames()) {
        const fits = await frame.evaluate("document.querySelector('body.plain') !== null").catch(() => false)
        if (fits === true) return frame
      }
    }
    throw new Error("waited for a plain view in vain")
  }
  const { at: seen } = await Probe.painted(await find())
  await execute(vs, "workbench.action.closeActiveEditor")
  return seen - at
}

const openings = async (vs: VSCode.VSCode): Promise<ReadonlyArray<Figure>> => {
  await hide(vs)
  const before = await Probe.heap(vs.page)
  const floor: Array<number> = []
  const all: Array<Opening> = []
  for (let run = 0; run < OPENINGS; run += 1) {
    floor.push(await plain(vs))
    all.push(await opened(vs))
  }
  const nodes = Number(await all.at(-1)?.frame.evaluate("document.querySelectorAll('*').length"))
  const heap = (await Probe.heap(vs.page)) - before
  const rows = `a conversation of ${ROWS} entries`
  const bytes = all.map(({ sent }) => sent.bytes)
  return [
    figure(
      `first picture of ${rows}, ms (floor: a view of text)`,
      spread(all.map(({ whole }) => whole)),
      { within: 300 },
      spread(floor),
      0
    ),
    figure(
      "of it since its script was read, ms",
      spread(all.map(({ script }) => script)),
      { within: 120 },
      undefined,
      0
    ),
    figure(`sent to open ${rows}, bytes`, spread(bytes), 200_000, undefined, 0),
    figure(`elements of the document of ${rows}`, nodes, 3000, undefined, 0),
    figure(`heap of ${rows}, MB`, heap, 60)
  ]
}

const show = async (vs: VSCode.VSCode, prompt: string): Promise<View.View> => {
  const view = await View.find(vs.page)
  const id = await Asks.begin(vs, prompt)
  await view.frame.locator(`[data-task="${id}"]`).waitFor()
  await Probe.install(view.frame)
  await Probe.clear(view.frame)
  await Probe.sent(vs)
  return view
}

/** One answer that arrives piece by piece while a person types. */
const streaming = async (vs: VSCode.VSCode): Promise<ReadonlyArray<Figure>> => {
  const view = await show(vs, "Stream")
  const began = performance.now()
  vs.model.release("stream")
  await view.frame.getByTestId("live").waitFor()
  await view.composer.focus()
  await vs.page.keyboard.type("x".repeat(KEYS), { delay: 20 })
  await view.row("Streamed").waitFor({ timeout: 120_000 })
  const seconds = (performance.now() - began) / 1000
  const { bytes, messages } = await Probe.sent(vs)
  const { deltas, keys, long } = await Probe.read(view.frame)
  const floor = await Probe.floor(view.frame)
  await view.composer.fill("")
  return [
    figure("messages a second while 100 pieces a second arrive", messages / seconds, 31),
    figure("bytes of each beside its text", (bytes - 24 * PIECES) / messages, 200, undefined, 0),
    figure("a piece of text, p95, ms (floor: a plain document)", p95(deltas), { within: 4 }, single(p95(floor.deltas))),
    figure("longest task meanwhile beyond 50 ms, ms", Math.max(0, ...long), { within: 50 }, undefined, 0),
    figure("from a key to its picture meanwhile, p95, ms", p95(keys), { within: 33 })
  ]
}

const working = async (vs: VSCode.VSCode): Promise<ReadonlyArray<Figure>> => {
  const view = await show(vs, "Work")
  const floor = await Probe.floor(view.frame)
  vs.model.release("work")
  await view.row("Worked").waitFor({ timeout: 120_000 })
  const { appends } = await Probe.read(view.frame)
  return [
    figure("new entries, p95, ms (floor: a plain document)", p95(appends), { within: 8 }, single(p95(floor.appends)))
  ]
}

const hidden = async (vs: VSCode.VSCode): Promise<ReadonlyArray<Figure>> => {
  await show(vs, "Hide")
  await hide(vs)
  await Probe.sent(vs)
  const watch = Cli.start(vs, ["task", "watch", "last", "--output", "stream-json"])
  vs.model.release("hide")
  await watch.exit
  const { messages } = await Probe.sent(vs)
  return [figure("messages to a hidden view while its task streams", messages, 0, undefined, 0)]
}

const sizes = (): ReadonlyArray<Figure> =>
  (["chat.js", "chat.css"] as const).map((name) =>
    figure(
      `${name}, bytes`,
      statSync(path.join(Package.dist, "webview", name)).size,
      name === "chat.js" ? 360_000 : 20_000,
      undefined,
      0
    )
  )

/** Paragraphs of 25 pieces of 24 characters. */
const words = (pieces: number): string =>
  Array.from({ length: pieces }, (_, at) => `A piece of twentyfour.${at % 25 === 24 ? "\n\n" : ". "}`).join("")

const says = (pieces: number, result: string, gate: string) => ({
  content: [{ type: "text" as const, text: words(pieces) }, ...(completes(result).content ?? [])],
  hold: gate,
  delayMs: 10
})

/** What could not be measured is said instead. */
const each = async (
  vs: VSCode.VSCode,
  parts: ReadonlyArray<(vs: VSCode.VSCode) => Promise<ReadonlyArray<Figure>>>
): Promise<Measured> => {
  const figures: Array<Figure> = []
  const skipped: Array<string> = []
  for (const part of parts) {
    try {
      figures.push(...(await part(vs)))
    } catch (error) {
      skipped.push(`Nothing of the view (${part.name}): ${String(error)}`)
    }
  }
  return { figures, skipped }
}

const open = (): Promise<VSCode.VSCode> => {
  const reads = Array.from({ length: TURNS }, (_, at) => use("read_file", { path: `many/${at}.txt` }))
  return VSCode.open({
    settings: { "belay.approvals.checkInRequests": 1000 },
    files: Object.fromEntries(reads.map((_, at) => [`many/${at}.txt`, "Nothing.\n"])),
    tasks: [
      task("Stream", says(PIECES, "Streamed", "stream")),
      task("Work", { ...reads[0], hold: "work" }, ...reads.slice(1), completes("Worked")),
      task("Hide", says(300, "Hidden", "hide")),
      ...Array.from({ length: Typing.RUNS }, (_, run) =>
        task(Typing.promptOf(run), says(400, `Typed ${run}`, Typing.gateOf(run)))
      )
    ]
  })
}

export const measureView = async (): Promise<Measured> => {
  const vs = await open()
  try {
    await Probe.countSent(vs)
    await history(vs)
    await vs.showTrees()
    await vs.host(async (vscode, id) => void (await vscode.commands.executeCommand("belay.openTask", id)), Tasks.id(1))
    await View.find(vs.page, ({ frame }) => frame.locator("h1", { hasText: title }).isVisible())
    const measured = await each(vs, [openings, streaming, working, hidden, Typing.typing])
    return { ...measured, figures: [...sizes(), ...measured.figures] }
  } catch (error) {
    return { figures: sizes(), skipped: [`Nothing of the view: ${String(error)}`] }
  } finally {
    await vs.close()
  }
}
