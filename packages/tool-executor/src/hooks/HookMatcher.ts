/** Which hooks look at a call: by exact names, or by a regular expression. Pure. */
import type { Hook } from "./Hook.ts"

/** Names alone, with `|` between them. Everything else is a regular expression. */
const isNames = (matcher: string): boolean => /^[\w\s|-]*$/.test(matcher)

const patternOf = (matcher: string): RegExp | undefined => {
  try {
    return new RegExp(matcher)
  } catch {
    return undefined
  }
}

/** Says in words why a matcher cannot be used; nothing when it can. */
export const problem = (matcher: string): string | undefined =>
  matcher === "*" || isNames(matcher) || patternOf(matcher) !== undefined
    ? undefined
    : "Expected tool names with | between them, or a regular expression"

/** True when the matcher takes one of the names. A regular expression may be found anywhere in a name. */
export const matches = (matcher: string | undefined, names: ReadonlyArray<string>): boolean => {
  if (matcher === undefined || matcher.trim() === "" || matcher === "*") return true
  if (isNames(matcher)) {
    const wanted = new Set(matcher.split("|").map((name) => name.trim()))
    return names.some((name) => wanted.has(name))
  }
  // One that cannot be read looks at everything: a guard never falls away.
  const pattern = patternOf(matcher)
  return pattern === undefined || names.some((name) => pattern.test(name))
}

/** The hooks that look at a call of these names, the same line of the same file once, in the order of the settings. */
export const looking = (
  hooks: ReadonlyArray<Hook>,
  event: Hook["event"],
  names: ReadonlyArray<string>
): ReadonlyArray<Hook> => {
  const found = hooks.filter((hook) => hook.event === event && matches(hook.matcher, names))
  const lines = new Map<string, Hook>()
  for (const hook of found) {
    const key = `${hook.source} ${hook.onFailure} ${hook.command}`
    if (!lines.has(key)) lines.set(key, hook)
  }
  return [...lines.values()]
}
