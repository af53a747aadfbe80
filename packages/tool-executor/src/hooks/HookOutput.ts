/**
 * What a hook has answered: its exit code, its JSON. Pure.
 *
 * Guarantee: an answer that is not clearly one is a failure, never a pass: another exit code than 0 and 2, a signal, a
 * time that was up, an output that begins as JSON and is none, a decision that nobody knows.
 */
import * as Schema from "effect/Schema"
import { isObject } from "../internal/argumentNames.ts"

/** Says how the process of a hook ended. */
export type Ended =
  | { readonly _tag: "Exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  /** It did not end by itself, or never began; half a sentence why. */
  | { readonly _tag: "Failed"; readonly why: string }

/** Says what it makes of a call. */
export const Answer = Schema.Union([
  Schema.TaggedStruct("Failed", { why: Schema.String }),
  Schema.TaggedStruct("Answered", {
    decision: Schema.optionalKey(Schema.Literals(["allow", "ask", "deny"])),
    reason: Schema.optionalKey(Schema.String),
    updatedInput: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    /** For the model. */
    context: Schema.optionalKey(Schema.String)
  })
])
export type Answer = typeof Answer.Type

const longest = 10_000

const said = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.length <= longest ? trimmed : `${trimmed.slice(0, longest)} …`
}

const objectIn = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The JSON object that an output ends with, else its last line that is one: what a shell's profile prints comes before
 * it. `broken`: something begins as an object and is none.
 */
export const jsonOf = (stdout: string): Readonly<Record<string, unknown>> | "broken" | undefined => {
  const lines = stdout.trim().split("\n")
  const begins = lines.flatMap((line, at) => (line.trimStart().startsWith("{") ? [at] : []))
  // Each beginning is tried to the end once: an output of very many is none of ours.
  for (const at of begins.slice(0, 50)) {
    const found = objectIn(lines.slice(at).join("\n"))
    if (found !== undefined) return found
  }
  for (const at of begins.toReversed()) {
    const found = objectIn(lines[at] ?? "")
    if (found !== undefined) return found
  }
  return begins.length === 0 ? undefined : "broken"
}

const failed = (why: string): Answer => ({ _tag: "Failed", why })

const textIn = (fields: Readonly<Record<string, unknown>>, name: string): { readonly text?: string } => {
  const value = fields[name]
  return typeof value === "string" && value.trim() !== "" ? { text: said(value) } : {}
}

const isDecision = (value: unknown): value is "allow" | "ask" | "deny" =>
  value === "allow" || value === "ask" || value === "deny"

/** The older words for the same, beside those of the event. */
const older: Readonly<Record<string, "allow" | "deny">> = { approve: "allow", block: "deny" }

const decisionIn = (
  whole: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>
): { readonly decision?: "allow" | "ask" | "deny" } | undefined => {
  if (whole["continue"] === false) return { decision: "deny" }
  const stated = own["permissionDecision"]
  if (stated !== undefined && !isDecision(stated)) return undefined
  const old = whole["decision"] ?? undefined
  if (old === undefined) return stated === undefined ? {} : { decision: stated }
  const meant = typeof old === "string" && Object.hasOwn(older, old) ? older[old] : undefined
  // Two answers that are not the same are none.
  return meant === undefined || (stated ?? meant) !== meant ? undefined : { decision: meant }
}

const answered = (whole: Readonly<Record<string, unknown>>): Answer => {
  const inner = whole["hookSpecificOutput"]
  if (inner !== undefined && !isObject(inner)) return failed("its hookSpecificOutput is no object")
  const own = inner ?? {}
  const decided = decisionIn(whole, own)
  if (decided === undefined) return failed("its decision is none of allow, ask and deny")
  const input = own["updatedInput"]
  if (input !== undefined && !isObject(input)) return failed("its updatedInput is no object")
  const { text: reason } =
    whole["continue"] === false
      ? textIn(whole, "stopReason")
      : { ...textIn(whole, "reason"), ...textIn(own, "permissionDecisionReason") }
  const { text: context } = textIn(own, "additionalContext")
  return {
    _tag: "Answered",
    ...decided,
    ...(reason === undefined ? {} : { reason }),
    ...(input === undefined ? {} : { updatedInput: input }),
    ...(context === undefined ? {} : { context })
  }
}

/** Reads what a hook of PreToolUse has answered. */
export const read = (ended: Ended): Answer => {
  if (ended._tag === "Failed") return failed(ended.why)
  const { code, stderr, stdout } = ended
  if (code === 2) {
    const reason = said(stderr)
    return { _tag: "Answered", decision: "deny", ...(reason === "" ? {} : { reason }) }
  }
  if (code !== 0) {
    const [first = ""] = said(stderr).split("\n")
    return failed(`it ended with ${code}${first === "" ? "" : `: ${first.slice(0, 300)}`}`)
  }
  const found = jsonOf(stdout)
  if (found === "broken") return failed("its output is broken JSON")
  return found === undefined ? { _tag: "Answered" } : answered(found)
}
