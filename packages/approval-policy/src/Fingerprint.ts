/**
 * The text that an approval binds to: the same call gives the same text, and a call that differs in
 * its tool, arguments, resolved targets or folder gives another one. The caller hashes it.
 */
import type { PolicyInput } from "./PolicyInput.ts"

const leaf = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value)
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : `number:${value}`
    case "bigint":
      return `bigint:${value}`
    case "function":
    case "symbol":
      return `opaque:${typeof value}`
    default:
      return String(value)
  }
}

type Work = { readonly text: string } | { readonly value: unknown } | { readonly leave: object }

const separated = (items: ReadonlyArray<ReadonlyArray<Work>>, open: string, close: string): Array<Work> => [
  { text: open },
  ...items.flatMap((item, index) => (index === 0 ? item : [{ text: "," }, ...item])),
  { text: close }
]

const expand = (value: object): Array<Work> => {
  if (Array.isArray(value))
    return separated(
      Array.from(value, (item: unknown) => [{ value: item }]),
      "[",
      "]"
    )
  if (value instanceof Date) return [{ text: `date:${value.getTime()}` }]
  if (value instanceof Map) return [{ text: "map:" }, { value: [...value] }]
  if (value instanceof Set) return [{ text: "set:" }, { value: [...value] }]
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
  return separated(
    fields.map(([key, field]) => [{ text: `${JSON.stringify(key)}:` }, { value: field }]),
    "{",
    "}"
  )
}

/**
 * JSON with sorted keys: independent of the order in which keys were written, and of fields that are undefined. Values
 * that JSON cannot hold get a spelling of their own that no JSON value has. Any depth works; a cycle is cut.
 */
export const canonicalArguments = (args: unknown): string => {
  const out: Array<string> = []
  const open = new Set<object>()
  const work: Array<Work> = [{ value: args }]
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if ("text" in next) {
      out.push(next.text)
    } else if ("leave" in next) {
      open.delete(next.leave)
    } else if (typeof next.value !== "object" || next.value === null) {
      out.push(leaf(next.value))
    } else if (open.has(next.value)) {
      out.push("cycle:")
    } else {
      open.add(next.value)
      work.push({ leave: next.value })
      for (const item of expand(next.value).toReversed()) work.push(item)
    }
  }
  return out.join("")
}

/** `identity` is what the caller knows of the targets' content, such as hashes; a change of it asks again. */
export const fingerprint = (
  input: Pick<PolicyInput, "tool" | "args" | "facts"> & { readonly identity?: unknown }
): string =>
  canonicalArguments({
    tool: input.tool,
    args: input.args,
    targets: input.facts.paths.map(({ access, kind, links, resolved }) => ({ access, kind, links, resolved })),
    command: input.facts.command?.text ?? null,
    cwd: input.facts.command?.cwd.resolved ?? null,
    files: input.facts.command?.files.map((facts) => facts.map(({ resolved }) => resolved)) ?? null,
    identity: input.identity ?? null
  })
