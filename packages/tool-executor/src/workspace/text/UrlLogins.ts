/**
 * Logins in the addresses that a command prints, such as those of `git remote -v`: taken out before anything keeps them.
 *
 * A password of eight characters and more, and a name that is long enough to be a token, become `<redacted>`. What stands
 * for one in a source, `${password}`, stays. In whatever pieces the text comes, only a login that has not ended is held
 * back.
 */
import type { Pieces } from "./Pieces.ts"

/** What stands in the place of a login. */
export const mask = "<redacted>"
/** Longer ones are no logins. */
const longest = 1024

/** Beside `$`, braces and what ends an address. */
const character = String.raw`[^\s/?#"'\x60<>\\@:$\{\}\x00-\x1F]`
const password = new RegExp(String.raw`(?<=://)(${character}{0,256}):(${character}{8,${longest}})(?=@)`, "gu")
const token = new RegExp(String.raw`(?<=\bhttps?://)${character}{16,${longest}}(?=@)`, "giu")

/** The text without logins. */
export const text = (given: string): string =>
  given.includes("://")
    ? given
        .replace(password, (_, name: string) => (name.length < 16 ? `${name}:${mask}` : `${mask}:${mask}`))
        .replace(token, (found) => (found.includes(mask) ? found : mask))
    : given

/** A login that may go on, behind what tells that it is one. */
const open = new RegExp(String.raw`(?<=:/?)/{1,2}(?:${character}|:){0,${longest + 257}}$`, "u")

/** What stands before a login. */
const scheme = 16

export const make = (): Pieces => {
  /** What was shown last, and what is held back behind it. */
  let before = ""
  let held = ""
  const settle = (whole: string, hold: number): string => {
    const shown = text(before + whole.slice(0, hold)).slice(before.length)
    held = whole.slice(hold)
    before = (before + shown).slice(-scheme)
    return shown
  }
  return {
    push: (piece) => {
      const whole = held + piece
      const found = open.exec(before + whole)
      return settle(whole, found === null ? whole.length : Math.max(0, found.index - before.length))
    },
    end: () => settle(held, held.length)
  }
}
