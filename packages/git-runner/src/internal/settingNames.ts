/**
 * The settings that are, or lead to, programs. https://git-scm.com/docs/git-config
 *
 * `reading`: what a git that only reads runs although it is told to run nothing. `changing`: what others run besides,
 * hooks excepted, which belong to what they do. `SigningSettings` knows what makes git start gpg or ssh-keygen.
 */
import * as SigningSettings from "../SigningSettings.ts"
import type { Setting } from "./configText.ts"

const reading =
  /^(?:diff\.external|diff\..+\.(?:command|textconv)|filter\..+\.(?:clean|smudge|process)|gpg\.(?:.+\.)?program|gpg\.ssh\.defaultkeycommand|include\.path|includeif\..*\.path|core\.alternaterefscommand)$/

/** What our settings switch off, but not in repositories inside. */
const inside = /^core\.(?:fsmonitor|hookspath)$/

const changing =
  /^(?:core\.(?:sshcommand|editor|askpass|gitproxy|pager)|sequence\.editor|credential\.(?:.+\.)?helper|merge\..+\.driver|(?:merge|diff)tool\..+\.(?:cmd|path)|trailer\..+\.(?:command|cmd)|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack|proxy|vcs)|browser\..+\.(?:cmd|path)|man\..+\.(?:cmd|path)|interactive\.difffilter|pager\..+|guitool\..+\.cmd|tar\..+\.command|hook\..+\.command|sendemail\.(?:.+\.)?(?:smtpserver|tocmd|cccmd|headercmd|sendmailcmd)|imap\.tunnel|web\.browser|instaweb\.(?:browser|httpd)|init\.templatedir|protocol\.(?:.+\.)?allow)$/

/** In an alias. */
const signs =
  /(?:^|\s)(?:--g(?:p(?:g(?:-[a-z]*)?)?)?(?![a-z])|-[A-Za-z]*S|--sign|--show-sig|--verify-s|verify-(?:commit|tag)\b|tag\s+-[asuv])|%[-+ ]?G/

/** What git takes for true or false. */
const isSwitch = (value: string | undefined): boolean =>
  value === undefined || /^(?:|true|false|yes|no|on|off|[+-]?\d+[kmg]?)$/i.test(value)

const isShell = (value: string | undefined): boolean => value?.trimStart().startsWith("!") === true

const isHelper = (url: string): boolean => url.includes("::")

/** `read`: only reads; `change`: anything, under our settings; `command`: anything, as somebody else starts it. */
export type Purpose = "read" | "change" | "command"

/** Whether one setting counts. `isInside`: it is one of a repository inside, where nothing of ours holds. */
export const counts = ({ name, value }: Setting, purpose: Purpose, isInside: boolean): boolean => {
  const key = name.toLowerCase()
  if (reading.test(key)) return true
  if (isInside && inside.test(key)) return key !== "core.fsmonitor" || !isSwitch(value)
  if (SigningSettings.shows(key, value ?? "")) return true
  if (purpose === "read") return false
  if (
    purpose === "command" &&
    (SigningSettings.isOn(key, value) || (key.startsWith("alias.") && signs.test(value ?? "")))
  )
    return true
  // A pager can be switched on and off; a helper that is empty takes others away.
  if (changing.test(key)) return key.startsWith("pager.") ? !isSwitch(value) : value !== ""
  if (key.startsWith("alias.")) return isShell(value)
  if (/^submodule\..+\.update$/.test(key)) return isShell(value)
  if (/^url\..*\.(?:push)?insteadof$/.test(key)) return isHelper(key)
  return /^remote\..+\.(?:push)?url$/.test(key) && isHelper(value ?? "")
}
