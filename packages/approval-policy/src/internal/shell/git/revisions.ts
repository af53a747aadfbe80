/** What git shows of commits: revisions, and the flags of what shows them. */
import type { Findings, Parsed, Spec, Word } from "../table/spec.ts"

export const show =
  "-p -u -s -U: --patch --no-patch --raw --stat? --numstat --shortstat --dirstat? --summary --patch-with-stat -z --name-only --name-status --color? --no-color --word-diff? --word-diff-regex: -M -C -R -a --text -b -w -W --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --function-context --exit-code --quiet -q --no-ext-diff --no-textconv --no-renames --find-renames? --diff-filter: --minimal --patience --histogram --diff-algorithm: --unified: --abbrev? --full-index --binary --relative? --no-prefix --compact-summary --stat-width: --submodule? --check -S: -G: --pickaxe-regex --pickaxe-all --inter-hunk-context: --color-moved?"
export const commits =
  "-n: -# --max-count: --oneline --graph --decorate? --no-decorate --all --branches? --tags? --remotes? --since: --until: --after: --before: --author: --committer: --grep: -i -E -F --all-match --invert-grep --merges --no-merges --first-parent --reverse --follow --date: --date-order --author-date-order --topo-order --format: --pretty? --abbrev-commit --no-abbrev-commit --full-history --left-right --cherry-pick --cherry-mark --cherry --skip: --source --boundary --simplify-by-decoration -L: -m -c --cc --reflog --walk-reflogs -g --not --count --no-notes --notes? --expand-tabs? --mailmap --use-mailmap --children --parents --relative-date"

/** A revision is no file; what looks like one is judged as one. */
export const revisions = ({ operands }: Parsed, findings: Findings): void => {
  for (const word of operands) findings.target(revisionPath(word), "mention")
}

const revisionPath = (word: Word): Word => {
  const text = word.text
  const colon = text?.indexOf(":") ?? -1
  return text === null || colon < 0 ? word : { ...word, text: text.slice(colon + 1) }
}

/** Two paths outside of a repository, or with `--no-index`, are plain files. */
export const diffed = (parsed: Parsed, findings: Findings): void => {
  for (const word of parsed.operands) {
    const path = revisionPath(word)
    findings.target(
      path,
      path.text?.startsWith("/") === true || path.text?.includes("..") === true ? "read" : "mention"
    )
  }
}

export const reads = (flags: string): Spec => ({ flags, operands: revisions, readOnly: true })
