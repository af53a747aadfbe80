/** What a git command makes of the work tree: links and files of another commit, and hooks of a template. */
import type { Findings, Word } from "../table/spec.ts"
import { subcommandIn } from "./subcommand.ts"

/** Subcommands that leave the work tree as it is, or change only the files that they name. */
const keeps =
  /^(?:add|annotate|blame|branch|bundle|cat-file|check-.*|commit|config|count-objects|describe|diff.*|fetch|for-each-ref|format-patch|fsck|gc|grep|help|init|log|ls-.*|merge-base|name-rev|notes|push|range-diff|reflog|remote|rev-list|rev-parse|rm|send-pack|shortlog|show|show-.*|status|symbolic-ref|tag|var|verify-.*|version|whatchanged|write-tree)$/

/** The files of another commit, of a patch or of an archive appear in the work tree, links among them. */
export const rearranged = (words: ReadonlyArray<Word>, findings: Findings): void => {
  const at = subcommandIn(words)
  const subcommand = words[at]
  if (subcommand === undefined) return
  const rest = words.slice(at + 1)
  const name = subcommand.text ?? ""
  // A new branch begins where the work tree is.
  const isNew = /^(?:checkout|switch)$/.test(name) && rest.length === 2 && /^-[bBcC]$/.test(rest[0]?.text ?? "")
  const isList = /^(?:stash|worktree|submodule)$/.test(name) && /^(?:list|show|status)$/.test(rest[0]?.text ?? "")
  if (keeps.test(name) || isNew || isList) return
  findings.moves("anywhere")
  if (/^(?:apply|am)$/.test(name) && !rest.some(({ text }) => /^--(?:check|stat|numstat|summary)$/.test(text ?? "")))
    findings.floor("unpacking")
}

/** What lies in a template becomes hooks and settings of the repository. */
export const templated = (words: ReadonlyArray<Word>, findings: Findings): void => {
  const has = (pattern: RegExp): boolean => words.some(({ text }) => pattern.test(text ?? ""))
  if (has(/^--(?:te|sep)/) && has(/^(?:init|clone|worktree)$/)) findings.floor("unpacking")
}
