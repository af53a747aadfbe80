/** What is measured inside the frames of a window, and what its extension host sends to them. */
import type { View } from "../../../apps/host-vscode/test/vscode/View.ts"
import type { VSCode } from "../../../apps/host-vscode/test/vscode/VSCode.ts"

type Frame = View["frame"]
type Page = VSCode["page"]

export interface Probe {
  /** Ms of each message from its arrival to the new layout, by what it brought. */
  readonly deltas: ReadonlyArray<number>
  readonly appends: ReadonlyArray<number>
  /** Ms of tasks of more than 50 ms. */
  readonly long: ReadonlyArray<number>
  /** Ms from a key to the picture that shows it. */
  readonly keys: ReadonlyArray<number>
}

/** Runs in a frame once its view is there. */
const source = `(() => {
  const probe = { deltas: [], appends: [], long: [], keys: [] }
  globalThis.belayProbe = probe
  const afterwards = (then) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = then
    port2.postMessage(0)
  }
  const onPicture = (then) => requestAnimationFrame(() => afterwards(then))
  // A view hears of a message before all who listen later: it begins when it looks where the message comes from.
  const origin = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "origin")
  let began = 0
  let drawn = false
  Object.defineProperty(MessageEvent.prototype, "origin", {
    ...origin,
    get() {
      began = performance.now()
      drawn = false
      return origin.get.call(this)
    }
  })
  new MutationObserver(() => (drawn = true)).observe(document, { childList: true, characterData: true, subtree: true })
  const onMessage = ({ data }) => {
    if (data?.type !== "change") return
    const times = data.rows?.length > 0 ? probe.appends : data.live === undefined ? [] : probe.deltas
    const from = began
    const laidOut = () => {
      document.body.getBoundingClientRect()
      times.push(performance.now() - from)
    }
    // The thread is shared with the editor's window: what that does next is no part of it.
    if (drawn) laidOut()
    else afterwards(laidOut)
  }
  const onKey = ({ timeStamp }) => onPicture(() => probe.keys.push(performance.now() - timeStamp))
  addEventListener("message", onMessage)
  addEventListener("keydown", onKey, true)
  new PerformanceObserver((list) => {
    for (const { duration, name } of list.getEntries()) if (name === "self") probe.long.push(duration)
  }).observe({ type: "longtask" })
})()`

export const read = async (frame: Frame): Promise<Probe> => (await frame.evaluate("belayProbe")) as Probe

export interface Picture {
  /** Ms since 1970. */
  readonly at: number
  /** Ms since the script of the view was read. */
  readonly script: number
}

/** The first one with an entry. */
export const painted = async (frame: Frame): Promise<Picture> => {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline) {
    const found = await frame.evaluate(`document.querySelector("[role=article]") !== null && new Promise((resolve) =>
      requestAnimationFrame(() => setTimeout(() => {
        const script = performance.getEntriesByType("resource").find(({ name }) => name.includes("chat.js"))
        resolve({ at: Date.now(), script: performance.now() - (script?.responseEnd ?? 0) })
      })))`)
    if (found !== false) return found as Picture
  }
  throw new Error("waited for the first picture of a view in vain")
}

/** Begins to measure in a frame. */
export const install = (frame: Frame): Promise<unknown> =>
  frame.evaluate(`if (globalThis.belayProbe === undefined) ${source}`)

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
