/**
 * Values that must not leave: taken out of every text, wherever they came from.
 *
 * What is removed is the exact value, also as JSON, in a URL and in base64 at any alignment. Nothing else changes, and
 * without values nothing is done. A text that comes in pieces is redacted as it would be in one, and at most the possible
 * beginning of a value is held back.
 */
import * as Proxies from "./Proxies.ts"

/** Shorter values are no secrets, and taking them out would garble every text. */
export const shortest = 8

/** The text that stands in the place of each value. */
export const mask = "<redacted>"

/** A text in pieces. */
export interface Pieces {
  /** What may be shown now. */
  readonly push: (piece: string) => string
  /** What was held back, at the end. */
  readonly end: () => string
}

/** Takes known values, such as keys, out of texts. */
export interface Redaction {
  /** From now on this value is taken out, too. */
  readonly add: (value: string) => void
  /** Nothing is known to take out. */
  readonly isEmpty: () => boolean
  readonly text: (text: string) => string
  /** All texts of a plain value; the same value when nothing had to be taken out. */
  readonly deep: <A>(value: A) => A
  /** As `deep`, for values that never change: each is looked at once, until another value has to be taken out. */
  readonly lasting: <A extends object>(value: A) => A
  readonly pieces: () => Pieces
}

/** https://www.rfc-editor.org/rfc/rfc4648 section 4: the characters that the value alone decides, after 0 to 2 bytes. */
const base64 = (value: string): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
    const from = Math.ceil((before * 8) / 6)
    return bytes.toString("base64").slice(from, Math.floor((bytes.length * 8) / 6))
  })

const formsOf = (value: string): ReadonlyArray<string> => {
  const encoded = base64(value)
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    ...encoded,
    ...encoded.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))
  ]
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const fieldsOf = (value: object, each: (value: unknown) => unknown, name: (text: string) => string): object => {
  let changed = false
  const fields = Object.entries(value).map(([key, field]): [string, unknown] => {
    const clean: [string, unknown] = [name(key), each(field)]
    changed ||= clean[0] !== key || clean[1] !== field
    return clean
  })
  return changed ? Object.fromEntries(fields) : value
}

const listOf = (value: ReadonlyArray<unknown>, each: (value: unknown) => unknown): ReadonlyArray<unknown> => {
  const clean = value.map(each)
  return clean.some((item, index) => item !== value[index]) ? clean : value
}

/** The first place from which on a text may become one of the forms; its length when there is none. */
const holdFrom = (text: string, from: number, forms: ReadonlyArray<string>, begins: ReadonlySet<string>): number => {
  const longest = forms[0]?.length ?? 0
  for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
    if (!begins.has(text.charAt(at))) continue
    const rest = text.length - at
    if (forms.some((form) => form.length > rest && form.startsWith(text.slice(at)))) return at
  }
  return text.length
}

/** Makes a redaction of these values. Values of fewer than 8 characters are passed over. */
export const make = (values: Iterable<string> = []): Redaction => {
  const known = new Set<string>()
  /** Longest first, so that of two that begin alike the longer one is taken out whole. */
  let forms: ReadonlyArray<string> = []
  let pattern: RegExp | undefined
  /** The first characters of the forms: nearly every place of a text is none of them. */
  let begins: ReadonlySet<string> = new Set()
  let looked = new WeakMap<object, object>()

  const add = (value: string): void => {
    if (value.length < shortest || mask.includes(value) || known.has(value)) return
    known.add(value)
    const all = new Set([...forms, ...formsOf(value)])
    forms = [...all].toSorted((a, b) => b.length - a.length)
    pattern = new RegExp(forms.map(escaped).join("|"), "g")
    begins = new Set(forms.map((form) => form.charAt(0)))
    looked = new WeakMap()
  }

  const text = (given: string): string => (pattern === undefined ? given : given.replace(pattern, mask))

  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return text(value)
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return listOf(value, clean)
    return isPlain(value) ? fieldsOf(value, clean, text) : value
  }

  const pieces = (): Pieces => {
    let held = ""
    const push = (piece: string): string => {
      if (pattern === undefined) return piece
      const whole = held + piece
      let shown = ""
      let at = 0
      let hold = holdFrom(whole, 0, forms, begins)
      for (const match of whole.matchAll(pattern)) {
        if (match.index >= hold) break
        shown += whole.slice(at, match.index) + mask
        at = match.index + match[0].length
        hold = Math.max(at, holdFrom(whole, at, forms, begins))
      }
      held = whole.slice(hold)
      return shown + whole.slice(at, hold)
    }
    const end = (): string => {
      const rest = text(held)
      held = ""
      return rest
    }
    return { push, end }
  }

  for (const value of values) add(value)
  const deep = <A>(value: A): A => (pattern === undefined ? value : (clean(value) as A))
  const lasting = <A extends object>(value: A): A => {
    const before = looked.get(value)
    if (before !== undefined) return before as A
    const cleaned = deep(value)
    looked.set(value, cleaned)
    return cleaned
  }
  return { add, isEmpty: () => pattern === undefined, text, deep, lasting, pieces }
}

const secretName = /(?:_KEY|_TOKEN)$|SECRET|PASSWORD/i

/** A user name can be a token, too. */
const loginOf = (value: string): ReadonlyArray<string> => {
  const { password = "", username = "" } = Proxies.urlOf(value) ?? {}
  return [username, password, ...[username, password].map((part) => new URLSearchParams(`v=${part}`).get("v") ?? "")]
}

/** The values of environment variables whose names say that they are secret, and what a URL of ours has for a login. */
export const valuesOf = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.entries(env).flatMap(([name, value = ""]) => {
    if (secretName.test(name)) return [value.trim()]
    return /_(?:URL|PROXY)$/i.test(name) ? loginOf(value) : []
  })
