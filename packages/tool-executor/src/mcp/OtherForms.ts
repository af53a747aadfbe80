/**
 * Entries of servers as other programs write them, brought into the form of this one.
 *
 * Guarantee: nothing that an entry says widens what may run. What it says of approvals is told and not applied; a tool that it
 * switches off stays off; a field that is not known is told and left out.
 */

/** An entry in this program's form, as far as it was understood; what it says besides is checked by whoever decodes it. */
export interface Normal {
  readonly name: string
  readonly entry: unknown
  /** Tools that it switches off. */
  readonly disabled: ReadonlyArray<string>
  /** What was read in another way than it is written, or not at all; sentences. */
  readonly notes: ReadonlyArray<string>
}

const known = new Set(["type", "command", "args", "env", "cwd", "url", "headers", "timeoutSeconds", "disabled"])

const types: Readonly<Record<string, string>> = { streamableHttp: "http", streamable_http: "http" }

/** Above it a time limit is in milliseconds, as Claude Code has it; others give seconds. */
const longestSeconds = 1000

const secondsOf = (timeout: unknown): number | undefined =>
  typeof timeout !== "number" || !(timeout > 0)
    ? undefined
    : Math.min(3600, Math.ceil(timeout > longestSeconds ? timeout / 1000 : timeout))

const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

/** A name that tools can be called by: letters, digits, `_` and `-`. */
const nameOf = (given: string): string =>
  given
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64)

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** One entry; what is no object stays as it is. */
export const normal = (given: string, value: unknown): Normal => {
  const name = nameOf(given)
  const renamed = name === given ? [] : [`The server ${JSON.stringify(given)} is called ${name} here.`]
  if (!isFields(value)) return { name, entry: value, disabled: [], notes: renamed }
  const { alwaysAllow, autoApprove, disabledTools, timeout, type, ...rest } = value
  const entry: Record<string, unknown> = Object.fromEntries(Object.entries(rest).filter(([field]) => known.has(field)))
  if (type !== undefined) entry["type"] = typeof type === "string" && Object.hasOwn(types, type) ? types[type] : type
  const notes = [...renamed]
  const seconds = secondsOf(timeout)
  if (entry["timeoutSeconds"] === undefined && seconds !== undefined) {
    entry["timeoutSeconds"] = seconds
    notes.push(`The timeout ${String(timeout)} of the server ${name} is read as ${seconds} s: write timeoutSeconds.`)
  }
  const allowed = [...textsOf(autoApprove), ...textsOf(alwaysAllow)]
  if (allowed.length > 0) {
    const keys = allowed.map((tool) => `"${name}/${tool}": "allow"`).join(", ")
    notes.push(`What the entry ${name} allows is not applied. To allow it: approvals.mcp { ${keys} }.`)
  }
  if (type === "sse")
    notes.push(`The server ${name} speaks SSE, which is deprecated: use its address for streamable HTTP.`)
  const unknown = Object.keys(rest).filter((field) => !known.has(field))
  if (unknown.length > 0) notes.push(`The entry ${name} has fields that are left out: ${unknown.join(", ")}.`)
  return { name, entry, disabled: textsOf(disabledTools), notes }
}
