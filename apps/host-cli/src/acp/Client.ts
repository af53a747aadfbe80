/** The client program at the other end: what it can do, and what it is told and asked. */
import * as Protocol from "@agentclientprotocol/sdk"
import type * as Update from "./Update.ts"
import * as Render from "./RenderV1.ts"

/** How often a running call's output is sent, at most, in ms. */
const outputEvery = 250

/** One client; what it is told leaves in order. */
export class Client {
  readonly #context: Protocol.AgentContext
  readonly #outputs = new Map<string, { readonly timer: NodeJS.Timeout; send: () => void }>()

  constructor(context: Protocol.AgentContext) {
    this.#context = context
  }

  /** Of a client that is gone nothing more is known. */
  readonly send = (sessionId: string, update: Protocol.SessionUpdate): void => {
    this.#context.notify(Protocol.methods.client.session.update, { sessionId, update }).catch(() => undefined)
  }

  readonly update = (sessionId: string, update: Update.Update): void => {
    if (update.type === "output") return this.#output(sessionId, update)
    if (update.type === "change") this.#dropOutput(sessionId, update.call.id)
    this.send(sessionId, Render.updateOf(update))
  }

  readonly #dropOutput = (sessionId: string, id: string): void => {
    const key = `${sessionId} ${id}`
    clearTimeout(this.#outputs.get(key)?.timer)
    this.#outputs.delete(key)
  }

  /** Of much output the newest, now and then. */
  readonly #output = (sessionId: string, update: Extract<Update.Update, { readonly type: "output" }>): void => {
    const key = `${sessionId} ${update.id}`
    const send = (): void => this.send(sessionId, Render.updateOf(update))
    const waiting = this.#outputs.get(key)
    if (waiting !== undefined) {
      waiting.send = send
      return
    }
    const timer = setTimeout(() => {
      const due = this.#outputs.get(key)
      this.#outputs.delete(key)
      due?.send()
    }, outputEvery)
    timer.unref()
    this.#outputs.set(key, { timer, send })
  }

  /** Whether a call may run; `withdrawn`: it is no longer asked, and the answer counts for nothing. */
  readonly permission = (
    params: Protocol.RequestPermissionRequest,
    withdrawn: AbortSignal
  ): Promise<Protocol.RequestPermissionResponse> =>
    this.#context.request(Protocol.methods.client.session.requestPermission, params, {
      cancellationSignal: withdrawn,
      stopWaitingOnCancel: true
    })
}
