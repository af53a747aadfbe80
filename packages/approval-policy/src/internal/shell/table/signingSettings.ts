/** Settings that a command gives git, and variables, by which it signs, or checks signatures. */
import * as SigningSettings from "@belay/git-runner/signing-settings"

/** Whether a setting makes git sign, or check; settings of another file may, and a program that is named. */
export const isSigning = (name: string, value: string | undefined): boolean =>
  SigningSettings.isOn(name, value) || SigningSettings.shows(name, value) || /^(?:gpg|include|includeif)\./i.test(name)

/** A variable that gives git settings which make it sign, or check; those of a file may. */
export const isSigningVariable = (name: string, value: string | null): boolean => {
  if (/^GIT_CONFIG_KEY_\d+$/.test(name)) return value === null || isSigning(value, undefined)
  if (/^GIT_CONFIG(?:_GLOBAL|_SYSTEM)?$/.test(name)) return value !== "/dev/null" && value !== ""
  return name === "GIT_CONFIG_PARAMETERS" && (value === null || /sign|gpg|include|pretty|\.sort/i.test(value))
}
