/**
 * What a view's document does before its script is there: it says that the view begins, so that what the host looks for
 * and the script come at the same time, and it keeps what the host says until the script takes it.
 *
 * It is a part of the document itself, as text, so it uses nothing from outside of it.
 */
interface Heard {
  readonly data: unknown
  readonly origin: string
}

type Hear = (message: Heard) => void

interface Api {
  readonly postMessage: (message: unknown) => void
}

export interface Begun {
  readonly api: Api
  /** Gives what was heard so far, in its order, and then what is heard, for as long as the view lives. */
  readonly hear: (listener: Hear) => void
}

declare const acquireVsCodeApi: () => Api
declare const addEventListener: (type: "message", listener: Hear) => void
declare const removeEventListener: typeof addEventListener

const begin = (): void => {
  const api = acquireVsCodeApi()
  const heard: Array<Heard> = []
  const keep: Hear = (message) => void heard.push(message)
  const hear = (listener: Hear): void => {
    removeEventListener("message", keep)
    heard.forEach(listener)
    addEventListener("message", listener)
  }
  addEventListener("message", keep)
  const begun: Begun = { api, hear }
  Object.assign(globalThis, { belay: begun })
  // The host's end has no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  api.postMessage({ type: "ready", task: null })
}

/** It as a script. */
export const script = `(${String(begin)})()`
