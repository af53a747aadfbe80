/**
 * fetch_url: a public page, as Markdown.
 *
 * Guarantees: those of `PublicFetch`; before the call may run no name is looked up, so that a denied address tells nobody
 * anything; the result is at most 48,000 characters without control characters, and says what was left out.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "../tool/Tool.ts"
import { failure, output } from "../tool/Tool.ts"
import * as PlainText from "../workspace/text/PlainText.ts"
import * as NetworkOf from "./Network.ts"
import type * as PublicFetch from "./PublicFetch.ts"
import * as Readable from "./Readable.ts"

const Parameters = Schema.Struct({
  url: Schema.String.check(Schema.isMaxLength(8192)).annotate({ description: "http or https, public hosts only" })
})
type Parameters = typeof Parameters.Type

/** Characters. */
const longest = 48_000

/** Configures the tool. Without options it uses the network of the machine. */
export interface Options {
  readonly network?: NetworkOf.Network
  /** The module `@belay/tool-executor/readable-worker`, for a host that is bundled. */
  readonly workerUrl?: URL
}

const essence = (type: string): string => (type.split(";")[0] ?? "").trim().toLowerCase()

const isText = (type: string): boolean =>
  type === "" || /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|toml|x-ndjson)$/.test(type)

const isHtml = (type: string): boolean => type === "text/html" || type === "application/xhtml+xml"

/** The encoding that the server or the page itself names; UTF-8 where it is none that is known. */
const decode = ({ bytes, type }: PublicFetch.Body): string => {
  const given = /charset\s*=\s*["']?([\w:-]+)/i
  const label = (given.exec(type) ?? given.exec(bytes.subarray(0, 2048).toString("latin1")))?.[1]
  try {
    return new TextDecoder(label ?? "utf-8").decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

const headed = (body: PublicFetch.Body, title: string, text: string): Tool.ToolOutput => {
  const plain = PlainText.output(text).trim()
  const shown = plain.slice(0, longest)
  const notes = [
    ...(shown.length < plain.length ? [`the first ${longest} of ${plain.length} characters`] : []),
    ...(body.isCut ? ["only the first 2 MB of the page were read"] : [])
  ]
  const head = [body.url, PlainText.name(title).slice(0, 300), ...notes].filter((part) => part !== "").join("\n")
  return output(`${head}\n\n${shown === "" ? "[It has no text.]" : shown.toWellFormed()}`)
}

const rendered = (body: PublicFetch.Body, options: Options): Effect.Effect<Tool.ToolOutput> =>
  Effect.gen(function* () {
    const type = essence(body.type)
    if (!isText(type) && !isHtml(type)) {
      return failure(`${body.url} is ${type} of ${body.isCut ? "more than " : ""}${body.bytes.length} bytes, no text.`)
    }
    const text = decode(body)
    if (type === "" && text.includes("\0")) return failure(`${body.url} is of no known type, and no text.`)
    if (!isHtml(type)) return headed(body, "", text)
    const page = yield* Readable.read(text, body.url, options.workerUrl)
    if (page === undefined) return failure(`${body.url} was fetched, but it is too much to be read.`)
    if (typeof page === "string") return failure(`${body.url} was fetched. ${page}`)
    return headed(body, page.title, page.markdown)
  })

const settled = (found: PublicFetch.Body | PublicFetch.Elsewhere, options: Options): Effect.Effect<Tool.ToolOutput> => {
  if (found._tag === "Elsewhere") {
    return Effect.succeed(
      output(`It redirects to another host: ${found.url}\nCall fetch_url with that address to read it.`)
    )
  }
  if (found.status < 400) return rendered(found, options)
  return Effect.map(rendered(found, options), ({ content, isError }) => {
    const [first] = content
    const said = !isError && first?.type === "text" ? `\n${first.text.slice(0, 2000)}` : ""
    return failure(`${found.url} answered ${found.status}.${said}`)
  })
}

/** Makes the tool `fetch_url`. Each address and each redirect is judged before anything connects. */
export const make = (options: Options = {}): Tool.Tool<Parameters> => {
  const network = options.network ?? NetworkOf.node
  return {
    name: "fetch_url",
    description: "Read a public web page as Markdown, or a text file from the web.",
    category: "fetch",
    flow: "run",
    readOnly: true,
    parameters: Parameters,
    facts: ({ url }) => Effect.succeed({ paths: [], fetch: { url, addresses: [] } }),
    execute: ({ url }) =>
      // The parts of Node that it needs are loaded when they are used.
      Effect.promise(() => import("./PublicFetch.ts")).pipe(
        Effect.flatMap(({ get }) => get(url, network)),
        Effect.flatMap((found) => settled(found, options)),
        Effect.catchTag("WebError", (error) => Effect.succeed(failure(error.message)))
      )
  }
}
