/** Settings and variables by which git signs, or checks signatures. */

/** Places of a format that hold what is known of a signature. */
export const placed = /%[-+ ]?G|%\(\*?signature/
/** Keys to sort by that need a signature checked. */
export const sorted = /^[-*]*signature(?::|$)/

/** Settings that switch it on, with the values that do not. https://git-scm.com/docs/git-config */
const switches =
  /^(?:(?:commit|tag|push)\.gpgsign|tag\.forcesignannotated|log\.showsignature|merge\.verifysignatures)$/i
const off = /^(?:false|no|off|0*)$/i

/** Whether a setting makes git sign, or check; settings of another file may. */
export const isSigning = (name: string, value: string | undefined): boolean =>
  (switches.test(name) && (value === undefined || !off.test(value))) ||
  /^(?:gpg|include|includeif)\./i.test(name) ||
  (/^(?:format\.pretty$|pretty\.)/i.test(name) && placed.test(value ?? "%G")) ||
  (/^(?:branch|tag)\.sort$/i.test(name) && sorted.test(value ?? ""))

/** A variable that gives git settings which make it sign, or check; those of a file may. */
export const isSigningVariable = (name: string, value: string | null): boolean => {
  if (/^GIT_CONFIG_KEY_\d+$/.test(name)) return value === null || isSigning(value, undefined)
  if (/^GIT_CONFIG(?:_GLOBAL|_SYSTEM)?$/.test(name)) return value !== "/dev/null" && value !== ""
  return name === "GIT_CONFIG_PARAMETERS" && (value === null || /sign|gpg|include|pretty|\.sort/i.test(value))
}
