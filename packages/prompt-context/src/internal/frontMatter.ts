/**
 * The fields at the top of a text, between lines of `---`, as YAML, and the text below them.
 *
 * A value that is no YAML but stands on one line, such as `globs: *.ts` or a description with a colon, is read as the
 * text that it is, as other agents read it. Fields that cannot be read otherwise are told, and nothing of them counts. No
 * tag does anything, and at most 8 kB are read.
 */
import * as Yaml from "effect/encoding/Yaml"

/** What stands in a field; nothing where there is no such field. */
export type Fields = Readonly<Record<string, unknown>>

export interface FrontMatter {
  readonly fields: Fields
  readonly text: string
  /** Why the fields cannot be read, as a sentence without its end. */
  readonly broken?: string
}

/** Characters. */
const longest = 8192

const parsed = (yaml: string): unknown => {
  try {
    return Yaml.parse(yaml)
  } catch (cause) {
    return cause instanceof Error ? cause : new Error("it cannot be read")
  }
}

/** Each field of one line whose value is no YAML has the value as a text. */
const withTexts = (yaml: string): string =>
  yaml
    .split(/\r?\n/u)
    .map((line) => {
      const { name = "", value = "" } = /^(?<name>[\w-]+):[ \t]+(?<value>\S.*)$/u.exec(line)?.groups ?? {}
      const isBroken = value !== "" && !/^["'|>]/u.test(value) && parsed(line) instanceof Error
      return isBroken ? `${name}: ${JSON.stringify(value.trim())}` : line
    })
    .join("\n")

const fieldsOf = (yaml: string): Fields | string => {
  if (yaml.length > longest) return `its front matter is longer than ${longest / 1024} kB`
  const whole = parsed(yaml)
  const found = whole instanceof Error ? parsed(withTexts(yaml)) : whole
  if (found instanceof Error) return `its front matter is no YAML (${found.message.replace(/\.$/u, "")})`
  if (found === null) return {}
  if (typeof found !== "object" || Array.isArray(found)) return "its front matter has no fields"
  return Object.fromEntries(Object.entries(found))
}

export const frontMatter = (whole: string): FrontMatter => {
  const found = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/u.exec(whole)
  if (found === null) return { fields: {}, text: whole }
  const fields = fieldsOf(found[1] ?? "")
  const text = whole.slice(found[0].length)
  return typeof fields === "string" ? { fields: {}, text, broken: fields } : { fields, text }
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** A field as one text; nothing where it has none. A list is written in brackets. */
export const textOf = (value: unknown): string => {
  if (isScalar(value)) return String(value).trim()
  return Array.isArray(value) ? `[${value.filter(isScalar).join(", ")}]` : ""
}

/** The entries of a field that is a list, or a text with commas; nothing where it is neither. */
export const listOf = (value: unknown): ReadonlyArray<string> | undefined => {
  if (isScalar(value)) {
    return String(value)
      .split(/,(?![^()]*\))/u)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "")
  }
  return Array.isArray(value) && value.every(isScalar) ? value.map(String) : undefined
}
