import { ScriptedServer } from "@belay/testkit"
import * as Effect from "effect/Effect"

export const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] })
export const assistant = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] })

export interface Sent {
  readonly key?: string
  readonly task?: string
  readonly path?: string
  readonly signal?: AbortSignal
  readonly body: unknown
}

export const post = (server: ScriptedServer.ScriptedServer, sent: Sent): Promise<Response> =>
  fetch(`${server.url}${sent.path ?? "/v1/messages"}`, {
    method: "POST",
    headers: {
      ...(sent.key === undefined ? {} : { "x-api-key": sent.key }),
      ...(sent.task === undefined ? {} : { "x-belay-task": sent.task })
    },
    body: typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body),
    ...(sent.signal === undefined ? {} : { signal: sent.signal })
  })

/** The status and the text of an answer. */
export const ask = (server: ScriptedServer.ScriptedServer, sent: Sent) =>
  Effect.promise(() => post(server, sent).then((response) => response.text().then((text) => ({ response, text }))))

/** The data of the events of an answer. */
export const eventsOf = (text: string): ReadonlyArray<any> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)))
