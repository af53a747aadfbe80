/**
 * The settings by which git signs, or checks signatures: it then starts gpg, gpgsm or ssh-keygen. Pure, and the one place
 * that knows them: `@belay/git-runner/signing-settings`. https://git-scm.com/docs/git-config
 *
 * Names are compared without case. A value of `undefined` is one that is not known: what it may be counts.
 */

/** Switches, each with a value that is not off. */
const switches =
  /^(?:(?:commit|tag|push)\.gpgsign|tag\.forcesignannotated|log\.showsignature|merge\.verifysignatures)$/i

const off = /^(?:false|no|off|0*)$/i

const formats = /^(?:format\.pretty|pretty\..+)$/i
const orders = /^(?:branch|tag)\.sort$/i

/** Places of a format that hold what is known of a signature. */
export const placed = /%[-+ ]?G|%\(\*?signature/

/** Keys to sort by that need a signature checked. */
export const sorted = /^[-*]*signature(?::|$)/

/** Says whether a setting switches signing, or a check of signatures, on. */
export const isOn = (name: string, value: string | undefined): boolean =>
  switches.test(name) && (value === undefined || !off.test(value))

/** Says whether a setting is a format, or an order, for which a git that only shows checks signatures. */
export const shows = (name: string, value: string | undefined): boolean =>
  formats.test(name)
    ? value === undefined || placed.test(value) || sorted.test(value)
    : orders.test(name) && value !== undefined && (placed.test(value) || sorted.test(value))
