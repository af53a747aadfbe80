/**
 * The two requests that are made of a service. Anthropic's SDK reads what comes back: the stream, and what an error says.
 *
 * What leaves is decided here alone: each request goes out with exactly the headers below, and a redirect is an error.
 * The SDK's client is not used. It would read keys from the environment and from files, take `x-api-key` to the host of a
 * redirect, and load the built-in `fetch`, which takes longer than all else up to the first request.
 */
import type { Anthropic } from "@anthropic-ai/sdk"
import { APIConnectionError, APIError } from "@anthropic-ai/sdk/core/error"
import { Stream } from "@anthropic-ai/sdk/core/streaming"
import { VERSION } from "@anthropic-ai/sdk/version"
import { encode } from "./encode.ts"
import { type Response, send } from "./post.ts"
import type { CountBody, StreamBody } from "./prepare.ts"

type Headers = Readonly<Record<string, string>>

export interface Service {
  /** The events of an answer, as the service sent them. Aborting closes the connection, also in mid-stream. */
  readonly stream: (body: StreamBody, headers: Headers, controller: AbortController) => Promise<AsyncIterable<unknown>>
  /** What the service says of the tokens of a request. */
  readonly count: (
    body: CountBody,
    headers: Headers,
    signal: AbortSignal
  ) => Promise<{ readonly input_tokens?: unknown }>
}

const always: Headers = {
  accept: "application/json",
  "content-type": "application/json",
  "anthropic-version": "2026-10-21",
  "user-agent": `Anthropic/JS ${VERSION}`
}

const quiet = { logLevel: "off" } as Anthropic

const parsed = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The SDK wants a whole `Response`, and uses what ours has of it. */
const forSdk = (response: Response) => response as unknown as globalThis.Response

const refused = async (response: Response): Promise<never> => {
  const text = await response.text()
  const said = parsed(text)
  throw APIError.generate(response.status, said, said === undefined ? text : undefined, forSdk(response).headers)
}

/** A service at a base URL, with the headers that show who asks. */
export const make = (baseUrl: string, credentials: Headers): Service => {
  const post = async (path: string, body: CountBody, headers: Headers, signal: AbortSignal): Promise<Response> => {
    const sent = {
      method: "POST",
      headers: { ...credentials, ...always, ...headers },
      body: encode(body),
      signal
    }
    const response = await send(new URL(`${baseUrl}${path}`), sent).catch((cause: Error) => {
      throw new APIConnectionError({ message: undefined, cause })
    })
    return response.ok ? response : refused(response)
  }
  return {
    stream: async (body, headers, controller) =>
      Stream.fromSSEResponse(forSdk(await post("/v1/messages", body, headers, controller.signal)), controller, quiet),
    count: async (body, headers, signal) => {
      const response = await post("/v1/messages/count_tokens", body, headers, signal)
      return parsed(await response.text()) ?? {}
    }
  }
}
