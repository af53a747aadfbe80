/**
 * How text looks where it goes: colours, glyphs and width, decided once from flags, environment and the stream.
 *
 * Only the 16 ANSI colours are used, and never alone: each state has a word. A pipe gets no colours and no width, so that
 * what is read from it does not depend on a terminal.
 */
import type { Words } from "@belay/interaction"
import { isatty } from "node:tty"
import { isSet, type Parsed, text } from "../cli/Arguments.ts"

export interface Appearance {
  readonly color: boolean
  readonly ascii: boolean
  /** No glyphs, TAB-separated lists. */
  readonly plain: boolean
  /** Columns of the terminal; `undefined` is no limit. */
  readonly width: number | undefined
  /** An address can be opened from where it stands; the terminal is known to. */
  readonly links?: boolean
}

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly isTerminal: boolean
  readonly columns: number | undefined
  readonly platform: NodeJS.Platform
}

const isGiven = (value: string | undefined): boolean => value !== undefined && value !== ""

const hasColor = (flag: string | undefined, { env, isTerminal }: Surroundings): boolean => {
  if (flag === "always") return true
  if (flag === "never" || isGiven(env["NO_COLOR"])) return false
  if (isGiven(env["FORCE_COLOR"])) return env["FORCE_COLOR"] !== "0"
  return isTerminal && env["TERM"] !== "dumb" && !isGiven(env["CI"])
}

/** Glyphs need a UTF-8 locale; Windows has none and its terminals can. */
const isAscii = ({ env, platform }: Surroundings): boolean => {
  if (env["BELAY_ASCII"] === "1") return true
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find(isGiven)
  return platform === "win32" ? false : locale === undefined || !/utf-?8/i.test(locale)
}

export const decide = (
  flags: { readonly color?: string | undefined; readonly plain?: boolean },
  around: Surroundings
): Appearance => ({
  color: flags.plain !== true && hasColor(flags.color, around),
  ascii: isAscii(around),
  plain: flags.plain === true,
  // There are terminals that say they have none.
  width: around.isTerminal ? around.columns || 80 : undefined
})

/** The appearance of this command's stdout, or of its stderr. */
export const of = (parsed: Parsed, stream: "stdout" | "stderr" = "stdout"): Appearance =>
  decide(
    { color: text(parsed, "color"), plain: isSet(parsed, "plain") },
    {
      env: process.env,
      isTerminal: isatty(stream === "stdout" ? 1 : 2),
      columns: process[stream].columns,
      platform: process.platform
    }
  )

/** SGR codes: ECMA-48, section 8.3.117. Orange is no ANSI colour; the glyph and the word tell it. */
const codes: Partial<Record<Words.Sign["tone"], number>> = { yellow: 33, blue: 34, green: 32, red: 31 }

export const tinted = (look: Appearance, tone: Words.Sign["tone"], text: string): string => {
  const code = look.color ? codes[tone] : undefined
  return code === undefined || text === "" ? text : `\u001B[${code}m${text}\u001B[39m`
}

export const bold = (look: Appearance, text: string): string =>
  look.color && text !== "" ? `\u001B[1m${text}\u001B[22m` : text

export const italic = (look: Appearance, text: string): string =>
  look.color && text !== "" ? `\u001B[3m${text}\u001B[23m` : text

/** Code among words. */
export const code = (look: Appearance, text: string): string =>
  look.color && text !== "" ? `\u001B[36m${text}\u001B[39m` : text

/** Parts of code. */
export const keyword = (look: Appearance, text: string): string => tinted(look, "blue", text)
export const string = (look: Appearance, text: string): string => tinted(look, "green", text)
export const number = (look: Appearance, text: string): string => tinted(look, "yellow", text)

/** The address is the text, so that nobody is led elsewhere: https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda */
export const linked = (look: Appearance, to: string, text: string): string =>
  look.links === true && text !== "" ? `\u001B]8;;${to}\u0007${text}\u001B]8;;\u0007` : text

export const glyph = (look: Appearance, sign: Words.Sign): string => (look.ascii ? sign.ascii : sign.glyph)

/** Punctuation of ours in seven bits where the locale has no more. */
export const typeset = (look: Appearance, text: string): string =>
  look.ascii ? text.replaceAll("…", "...").replaceAll("–", "-").replaceAll("·", "-").replaceAll("−", "-") : text

export const ellipsis = (look: Appearance): string => typeset(look, "…")
