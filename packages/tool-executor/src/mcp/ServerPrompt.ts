/**
 * What a model is told of the servers: one text for each, which is said again only when it has changed.
 *
 * So the tools of a request stay the same bytes for a whole task, whatever servers come, go and change. What a server says
 * of a tool is told only as it was approved; a tool that changed is named with that, and nothing of what it says now.
 */
import * as PlainText from "../workspace/text/PlainText.ts"
import type { Listing, Server, Tool } from "./Servers.ts"
import type { Resource } from "./ServerConnection.ts"

const longestDescription = 2000
const longestSchema = 8000
/** Of a resource: what it holds is read when it is needed. */
const longestAbout = 300

const open = (name: string): string => `<mcp_server name="${name}">`
const close = "</mcp_server>"

/** A text of a server cannot end what is said of it, nor begin something else. */
const inner = (text: string): string => PlainText.output(text).replaceAll(/<(?=\/?mcp_server)/gi, "‹")

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)

const inLine = (text: string, most: number): string =>
  inner(short(text, most))
    .replaceAll(/\s*\n\s*/g, " ")
    .trim()

const schema = (tool: Tool): string => {
  const text = inner(JSON.stringify(tool.inputSchema))
  return text.length > longestSchema ? "its arguments are too long to be shown" : text
}

const toolLine = (tool: Tool): string => {
  if (!tool.approved)
    return `- ${PlainText.name(tool.name)}: it has changed or is new, and the user has not approved it yet.`
  const plan = tool.mark === "readOnly" ? " (also in plan mode)" : ""
  return `- ${PlainText.name(tool.name)}${plan}: ${inLine(tool.description, longestDescription)}\n  arguments: ${schema(tool)}`
}

const resourceLine = ({ description, isTemplate, name, uri }: Resource): string => {
  const about = inLine(description, longestAbout)
  const label = inner(PlainText.name(short(name, 200)))
  const said = about === "" || about === label ? label : `${label}. ${about}`
  return `- ${inner(PlainText.name(uri))}${isTemplate ? " (a pattern)" : ""}: ${said}`
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [title, ...lines]

/** Gives what is said of a server; nothing of one that is not to be used. */
export const text = ({ name, state }: Server): string | undefined => {
  const whole = (lines: ReadonlyArray<string>): string => [open(name), ...lines, close].join("\n")
  switch (state._tag) {
    case "Connected": {
      const tools = state.tools.filter((tool) => tool.mark !== "disabled")
      return whole([
        ...section("Tools, for use_mcp_tool:", tools.map(toolLine)),
        ...section("Resources, for access_mcp_resource:", state.resources.map(resourceLine))
      ])
    }
    case "Failed":
      return whole([`Not available: ${inner(state.reason)}`])
    default:
      return undefined
  }
}

const named = /^<mcp_server name="([^"]+)">/

/** Gives what has to be said, after what was said already; oldest first. */
export const news = (listing: Listing, said: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = new Map<string, string>()
  for (const before of said) {
    const name = named.exec(before)?.[1]
    if (name !== undefined) last.set(name, before)
  }
  const texts: Array<string> = []
  const there = new Set<string>()
  for (const server of listing.servers) {
    const now = text(server)
    if (now === undefined) continue
    there.add(server.name)
    const before = last.get(server.name)
    // Of a server that never was there nothing is missed.
    if (before !== now && (before !== undefined || server.state._tag === "Connected")) texts.push(now)
  }
  for (const [name, before] of last) {
    const gone = [open(name), "It is not there any more.", close].join("\n")
    if (!there.has(name) && before !== gone) texts.push(gone)
  }
  return texts
}

/** The tools that a model is told of, and about how many tokens that costs. */
export const cost = (listing: Listing): { readonly tools: number; readonly tokens: number } => {
  const connected = listing.servers.flatMap((server) => (server.state._tag === "Connected" ? [server] : []))
  const characters = connected.reduce((sum, server) => sum + (text(server)?.length ?? 0), 0)
  const tools = connected.flatMap(({ state }) => (state._tag === "Connected" ? state.tools : []))
  return { tools: tools.filter(({ mark }) => mark !== "disabled").length, tokens: Math.ceil(characters / 3.5) }
}
