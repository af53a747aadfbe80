import { runInNewContext } from "node:vm"
import { assert, describe, it } from "vitest"
import { type Begun, script } from "../src/webview/state/begin.ts"
import * as Told from "../src/webview/state/told.ts"

/** A document with nothing in it but how it begins. */
const begun = () => {
  const said: Array<unknown> = []
  const window = new EventTarget()
  const global = {
    performance,
    acquireVsCodeApi: () => ({ postMessage: (message: unknown) => said.push(message) }),
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window)
  }
  runInNewContext(script, global)
  const tell = (data: unknown) => window.dispatchEvent(new MessageEvent("message", { data, origin: "o" }))
  return { said, tell, hear: ({ belay }: { readonly belay: Begun }) => belay.hear, global: global as never }
}

describe("the document of a view", () => {
  it("says that it begins, and gives the script all that was heard before it, once and in its order", () => {
    const { global, hear, said, tell } = begun()
    assert.deepEqual(said, [{ type: "ready", task: null }])
    tell(1)
    tell(2)
    const heard: Array<unknown> = []
    hear(global)(({ data, origin }) => heard.push(origin, data))
    tell(3)
    assert.deepEqual(heard, ["o", 1, "o", 2, "o", 3])
  })

  it("loses nothing that is told beside the state before its first picture, and tells nothing twice", () => {
    const told = Told.make<number>()
    const heard: Array<string> = []
    const listen = (name: string) => told.listen((message) => heard.push(`${name} ${message}`))
    told.tell(1)
    const leave = listen("first")
    listen("second")
    told.begun()
    leave()
    listen("late")
    told.tell(2)
    assert.deepEqual(heard, ["first 1", "second 1", "second 2", "late 2"])
  })
})
