/**
 * Settings and variables by which git and others run a command of somebody else's choice.
 * https://git-scm.com/docs/git-config, https://git-scm.com/docs/git#_environment_variables
 */
import type { Findings, Word } from "./spec.ts"

/** Settings that are commands. */
const command =
  /editor$|pager|command$|fsmonitor$|textconv$|helper$|program$|^diff\.external$|\.(?:driver|clean|smudge|process|cmd|path|vcs|proxy|uploadpack|receivepack|command)$|askpass$|gitproxy$|packobjectshook$|difffilter$|tunnel$|(?:to|cc|header|sendmail)cmd$|smtpserver$|browser$|httpd$/i

/** Settings of which the text is not the command. */
const elsewhere = /^(?:core\.hookspath$|init\.templatedir$|include\.|includeif\.|.*::)/i

export const isCommand = (setting: string): boolean => command.test(setting)

/** What runs lies where the setting leads. */
export const leadsToPrograms = (setting: string): boolean => elsewhere.test(setting)

const isAny = (setting: string): boolean => isCommand(setting) || leadsToPrograms(setting) || /^alias\./i.test(setting)

const variables =
  /^(?:(?:GIT_(?:SEQUENCE_)?)?EDITOR|VISUAL|(?:GIT_|MAN|SYSTEMD_)?PAGER|GIT_EXTERNAL_DIFF|GIT_SSH(?:_COMMAND)?|(?:GIT|SSH|SUDO)_ASKPASS|GIT_PROXY_COMMAND|LESS(?:OPEN|CLOSE)|RSYNC_RSH|BROWSER|PROMPT_COMMAND)$/

/** The command that a variable makes git, or what it starts, run: null when it cannot be told, undefined when there is none. */
export const commandOf = (name: string, value: string | null): string | null | undefined => {
  if (variables.test(name)) return value
  if (/^GIT_CONFIG_KEY_\d+$/.test(name)) return value === null || isAny(value) ? null : undefined
  if (name === "GIT_CONFIG_PARAMETERS")
    return value === null || value.split(/['"=\s\\]+/).some(isAny) ? null : undefined
  return /^GIT_(?:EXEC_PATH|TEMPLATE_DIR)$/.test(name) ? null : undefined
}

/** Judges it: what cannot be told may change any file. */
export const runs = (word: Word, command: string | null | undefined, findings: Findings): void => {
  if (command === null) findings.target({ ...word, text: null, glob: false }, "write")
  else if (command !== undefined) findings.script({ ...word, text: command })
}
