/**
 * What of git starts a program that signs, or that checks a signature: gpg, gpgsm or ssh-keygen, which write keys and their
 * trust into the home folder. https://git-scm.com/docs/git-config#Documentation/git-config.txt-gpgprogram
 *
 * Guarantees: what is not known to mean something else counts. Settings of the repository are not seen here, but where the
 * repository is looked at.
 */
import type { Findings, Word } from "../table/spec.ts"
import { placed, sorted } from "@belay/git-runner/signing-settings"
import { isSigning } from "../table/signingSettings.ts"
import { begins, subcommandIn } from "./subcommand.ts"

/** Flags of one letter that sign, behind others that have no value. */
const signer = (valued: string, letters = "S"): RegExp => new RegExp(`^-[^-${valued}${letters}]*[${letters}]`)

/** Which short flags have a value behind them, so that the letters there are no flags. */
const short: Readonly<Record<string, RegExp>> = {
  commit: signer("mFcCtu"),
  "commit-tree": signer("mFp"),
  merge: signer("mFsX"),
  pull: signer("sXrjo"),
  rebase: signer("sXxC"),
  "cherry-pick": signer("mX"),
  revert: signer("mX"),
  am: signer("pC"),
  tag: signer("mFn", "suv")
}

/** Subcommands of which `-S` means something else, or nothing. */
const other =
  /^(?:add|annotate|apply|archive|blame|branch|bundle|cat-file|check-.*|checkout|checkout-index|clean|clone|config|count-objects|describe|diff.*|fetch|for-each-ref|format-patch|fsck|gc|grep|help|init|log|ls-.*|merge-base|merge-file|merge-tree|mv|name-rev|notes|push|range-diff|read-tree|reflog|remote|reset|restore|rev-list|rev-parse|rm|shortlog|show|show-.*|stash|status|submodule|switch|symbolic-ref|update-index|update-ref|var|version|whatchanged|worktree|write-tree)$/

/** They check signatures without being told to. */
const checks = /^(?:verify-commit|verify-tag|fmt-merge-msg)$/

/** Words after these are messages, in these subcommands. */
const speaks = /^(?:commit|commit-tree|tag|merge|notes|stash)$/
const message = /^(?:-[aqvn]*m|-F|--message|--file|--author)$/

/** Long flags, which may be cut short. */
const long = (text: string, subcommand: string): boolean =>
  begins(text, "--gpg-sign", 3) ||
  begins(text, "--show-signature", 9) ||
  begins(text, "--verify-signatures", 9) ||
  (subcommand === "push" && begins(text, "--signed", 4)) ||
  (subcommand === "tag" &&
    (begins(text, "--sign", 4) || begins(text, "--local-user", 4) || begins(text, "--verify", 3)))

const isOn = (word: Word | undefined): boolean => {
  const [name = "", value] = word?.text?.split(/=(.*)/s) ?? []
  return isSigning(name, value)
}

/** Of one run: `-c name=value`, and `--config-env`, whose value is not known. */
const given = (words: ReadonlyArray<Word>): ReadonlyArray<Word> =>
  words.filter((word, index) => {
    const text = word.text ?? ""
    const [, setting] = /^-c(.+)$/s.exec(text) ?? []
    const [, name] = /^--config-env=([^=]*)/s.exec(text) ?? []
    if (setting !== undefined) return isOn({ ...word, text: setting })
    if (name !== undefined) return isSigning(name, undefined)
    const next = words[index + 1]
    if (text === "-c") return isOn(next)
    return text === "--config-env" && isSigning(next?.text?.split("=", 1)[0] ?? "", undefined)
  })

/** Words of a subcommand that make it sign, or check. */
const told = (name: string, words: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  const letters = Object.hasOwn(short, name) ? short[name] : other.test(name) ? undefined : /^-[A-Za-z]*S/
  const end = words.findIndex(({ text }) => text === "--")
  const own = end < 0 ? words : words.slice(0, end)
  return own.filter((word, index) => {
    const text = word.text ?? ""
    const before = own[index - 1]?.text ?? ""
    if (speaks.test(name) && message.test(before)) return false
    const key = /^--so\w*=(.*)$/s.exec(text)?.[1] ?? (/^--so\w*$/.test(before) ? text : "")
    return (
      letters?.test(text) === true ||
      long(text, name) ||
      sorted.test(key) ||
      (!/^(?:commit|grep)$/.test(name) && placed.test(text))
    )
  })
}

/** Looks at all words behind `git`. */
export const signing = (words: ReadonlyArray<Word>, findings: Findings): void => {
  const at = subcommandIn(words)
  const before = at < 0 ? words : words.slice(0, at)
  const subcommand = words[at]
  const name = subcommand?.text
  const all = [
    ...given(before),
    ...(subcommand !== undefined && (name === null || checks.test(name ?? "")) ? [subcommand] : []),
    ...(typeof name === "string" ? told(name, words.slice(at + 1)) : [])
  ]
  for (const word of all) findings.hazard(word.at, "it may start a program that signs or checks signatures")
  if (all.length > 0) findings.floor("keys")
}
