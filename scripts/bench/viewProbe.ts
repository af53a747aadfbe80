/** What is measured inside the frames of a window, and what its extension host sends to them. */
import type { View } from "../../apps/host-vscode/test/vscode/View.ts"
import type { VSCode } from "../../apps/host-vscode/test/vscode/VSCode.ts"

type Frame = View["frame"]
type Page = VSCode["page"]

export interface Probe {
  /** Ms since 1970 at which the first entry was painted; 0 before. */
  readonly painted: number
  /** Ms from the first message with entries to their picture. */
  readonly script: number
  /** Ms of each message from its arrival to the new layout, by what it brought. */
  readonly deltas: ReadonlyArray<number>
  readonly appends: ReadonlyArray<number>
  /** Ms of tasks of more than 50 ms. */
  readonly long: ReadonlyArray<number>
  /** Ms from a key to the picture that shows it. */
  readonly keys: ReadonlyArray<number>
}

/** Runs in every frame before all else. */
const source = `(() => {
  const probe = { painted: 0, script: 0, deltas: [], appends: [], long: [], keys: [] }
  globalThis.belayProbe = probe
  const afterwards = (then) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = then
    port2.postMessage(0)
  }
  const onPicture = (then) => requestAnimationFrame(() => afterwards(then))
  let began = 0
  const onMessage = ({ data }) => {
    const at = performance.now()
    if (data?.type === "snapshot" && data.rows?.length > 0) began ||= at
    if (data?.type !== "change") return
    const times = data.rows?.length > 0 ? probe.appends : data.live === undefined ? [] : probe.deltas
    afterwards(() => {
      document.body.getBoundingClientRect()
      times.push(performance.now() - at)
    })
  }
  const onKey = ({ timeStamp }) => onPicture(() => probe.keys.push(performance.now() - timeStamp))
  // The document is written into a frame that is there, which takes the listeners of before away.
  let hears = false
  const hear = () => {
    if (hears || document.getElementById("root") === null) return
    hears = true
    addEventListener("message", onMessage, true)
    addEventListener("keydown", onKey, true)
  }
  new PerformanceObserver((list) => {
    for (const { duration, name } of list.getEntries()) if (name === "self") probe.long.push(duration)
  }).observe({ type: "longtask" })
  const look = () => {
    hear()
    if (document.querySelector("[role=article]") === null) return requestAnimationFrame(look)
    onPicture(() => {
      probe.painted = Date.now()
      probe.script = performance.now() - began
    })
  }
  look()
})()`

/** In all frames that come from now on. */
export const install = (page: Page): Promise<unknown> => page.addInitScript(source)

export const read = async (frame: Frame): Promise<Probe> => (await frame.evaluate("belayProbe")) as Probe

/** Waits for the first picture. */
export const painted = async (frame: Frame): Promise<Probe> => {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const probe = await read(frame)
    if (probe.painted > 0) return probe
  }
  throw new Error("waited for the first picture of a view in vain")
}

export const clear = (frame: Frame): Promise<unknown> =>
  frame.evaluate("Object.assign(belayProbe, { deltas: [], appends: [], long: [], keys: [] })")

/** Ms to put a few characters behind a text, and an entry behind others, in a plain document, with its layout. */
export const floor = async (frame: Frame): Promise<Pick<Probe, "deltas" | "appends">> =>
  (await frame.evaluate(`(() => {
    const list = document.createElement("div")
    document.body.append(list)
    const timed = (work) => Array.from({ length: 200 }, (_, at) => {
      const before = performance.now()
      work(at)
      document.body.getBoundingClientRect()
      return performance.now() - before
    })
    const entry = (text) => list.appendChild(document.createElement("p")).append(text)
    const found = { appends: timed((at) => entry("An entry " + at)), deltas: timed((at) => list.lastChild.append("word " + at)) }
    list.remove()
    return found
  })()`)) as Pick<Probe, "deltas" | "appends">

export interface Sent {
  readonly messages: number
  readonly bytes: number
}

/** Counts from now on what any extension of the host sends to a view. */
export const countSent = (vs: VSCode): Promise<void> =>
  vs.host((vscode) => {
    const panel = vscode.window.createWebviewPanel("bench", "Bench", 1, {})
    const kind = Object.getPrototypeOf(panel.webview)
    panel.dispose()
    const post = kind.postMessage
    const sent = { messages: 0, bytes: 0 }
    Object.assign(globalThis, { belaySent: sent })
    kind.postMessage = function (message: unknown) {
      sent.messages += 1
      sent.bytes += JSON.stringify(message).length
      return post.call(this, message)
    }
  })

/** What was sent since this was last asked. */
export const sent = (vs: VSCode): Promise<Sent> =>
  vs.host(() => {
    const all = (globalThis as any).belaySent
    const found = { ...all }
    Object.assign(all, { messages: 0, bytes: 0 })
    return found
  })

/** MB that the window's scripts hold after a collection. */
export const heap = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  await session.send("HeapProfiler.collectGarbage")
  const { usedSize } = (await session.send("Runtime.getHeapUsage")) as { readonly usedSize: number }
  await session.detach()
  return usedSize / 1e6
}
