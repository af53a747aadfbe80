/** git: what its subcommands read, change and destroy. */
import type { Below } from "../../../CommandReading.ts"
import { transfer } from "../programs/files.ts"
import { rearranged, templated } from "./gitTree.ts"
import { checkout, clean, losing, restore } from "./losses.ts"
import { type Findings, type Parsed, type Spec, unnamed, type Word, written } from "../table/spec.ts"

const show =
  "-p -u -s -U: --patch --no-patch --raw --stat? --numstat --shortstat --dirstat? --summary --patch-with-stat -z --name-only --name-status --color? --no-color --word-diff? --word-diff-regex: -M -C -R -a --text -b -w -W --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --function-context --exit-code --quiet -q --no-ext-diff --no-textconv --no-renames --find-renames? --diff-filter: --minimal --patience --histogram --diff-algorithm: --unified: --abbrev? --full-index --binary --relative? --no-prefix --compact-summary --stat-width: --submodule? --check -S: -G: --pickaxe-regex --pickaxe-all --inter-hunk-context: --color-moved?"
const commits =
  "-n: -# --max-count: --oneline --graph --decorate? --no-decorate --all --branches? --tags? --remotes? --since: --until: --after: --before: --author: --committer: --grep: -i -E -F --all-match --invert-grep --merges --no-merges --first-parent --reverse --follow --date: --date-order --author-date-order --topo-order --format: --pretty? --abbrev-commit --no-abbrev-commit --full-history --left-right --cherry-pick --cherry-mark --cherry --skip: --source --show-signature --boundary --simplify-by-decoration -L: -m -c --cc --reflog --walk-reflogs -g --not --count --no-notes --notes? --expand-tabs? --mailmap --use-mailmap --children --parents --relative-date"

/** A revision is no file; what looks like one is judged as one. */
const revisions = ({ operands }: Parsed, findings: Findings): void => {
  for (const word of operands) findings.target(revisionPath(word), "mention")
}

const revisionPath = (word: Word): Word => {
  const text = word.text
  const colon = text?.indexOf(":") ?? -1
  return text === null || colon < 0 ? word : { ...word, text: text.slice(colon + 1) }
}

/** Two paths outside of a repository, or with `--no-index`, are plain files. */
const diffed = (parsed: Parsed, findings: Findings): void => {
  for (const word of parsed.operands) {
    const path = revisionPath(word)
    findings.target(
      path,
      path.text?.startsWith("/") === true || path.text?.includes("..") === true ? "read" : "mention"
    )
  }
}

/** The folder it runs in. */
const here: Word = { text: ".", glob: false, written: ".", at: unnamed }

const reads = (flags: string): Spec => ({ flags, operands: revisions, readOnly: true })
const changes = (flags: string): Spec => ({ flags, operands: "mention" })

const listOnly = (flags: string): Spec => ({
  flags,
  readOnly: true,
  operands: ({ flags: seen, operands }, findings) => {
    const first = operands[0]
    if (first === undefined || ["--list", "-l", "--contains", "--merged", "--no-merged"].some((flag) => seen.has(flag)))
      return
    findings.changes()
    for (const word of operands) findings.target(word, "mention")
  }
})

/** A repository that is named by its place instead of by the name of a remote. */
const place = /::|:\/\/|^[/.~]|^[^/]*@[^/]*:/

/** From where it fetches: the first word. */
const fetches = (flags: string): Spec => ({
  flags,
  operands: ({ operands }, findings) => {
    const [first] = operands
    if (first !== undefined && (first.text === null || place.test(first.text)))
      findings.hazard(first.at, "it names a place to fetch from")
    for (const word of operands) {
      if (word.text?.startsWith("+") === true) findings.hazard(word.at, "it may lose a branch", "loses")
      findings.target(word, "mention")
    }
  }
})

/** Git accepts long options by their unique beginning. */
const destroys = /^(?:--fo(?!l)|--mi|--de|--pru|-[A-Za-z]*[fd]|\+|:)/

const harmlessPush =
  /^(?:-u|--set-upstream|--tags|--follow-tags|-q|--quiet|-v|--verbose|-n|--dry-run|--porcelain|--all|--progress|--no-verify)$/

const push: Spec = {
  read: (words, findings) => {
    findings.changes()
    for (const word of words) {
      const { text } = word
      if (text === null || (text.startsWith("-") && !harmlessPush.test(text))) {
        findings.hazard(word.at, `its flag ${text ?? word.written} may run a program or destroy history`)
      }
      if (text !== null && place.test(text)) findings.hazard(word.at, "it names a place to push to")
    }
  }
}

const everything: Below = { names: [], skips: [], follows: "nothing", splits: false }

/** Two places that are compared as plain files. */
const outsideOf = (words: ReadonlyArray<Word>, findings: Findings): void => {
  if (!words.some(({ text }) => text !== null && text.startsWith("--no-i"))) return
  for (const word of words)
    if (word.text?.startsWith("-") !== true) findings.target(word, "read", { ...everything, follows: "all" })
}

/** Whatever stands before the subcommand: a push that destroys, and a work tree elsewhere. */
const always = (words: ReadonlyArray<Word>, findings: Findings): void => {
  rearranged(words, findings)
  templated(words, findings)
  outsideOf(words, findings)
  const at = words.findIndex(({ text }) => text === "push" || text === "send-pack")
  const pushed = at < 0 ? [] : words.slice(at + 1)
  if (pushed.some(({ glob, text }) => text === null || glob || destroys.test(text))) findings.floor("history")
  for (const [index, word] of words.entries()) {
    const { text } = word
    const isPlace = text !== null && /^(?:-C|--git-dir|--work-tree)$/.test(text)
    const value = text === null ? undefined : /^--(?:git-dir|work-tree)=(.*)$/s.exec(text)?.[1]
    if (isPlace) findings.target(words[index + 1], "tree")
    if (value !== undefined) findings.target({ ...word, text: value }, "tree")
    const setting =
      text === "-c" ? words[index + 1] : text?.startsWith("-c") === true ? { ...word, text: text.slice(2) } : undefined
    if (setting !== undefined) configured(setting, findings)
  }
}

/** A setting that is a command, for this one run. */
const configured = (word: Word, findings: Findings): void => {
  const [name = "", value] = word.text?.split(/=(.*)/s) ?? []
  if (value === undefined) return
  if (/^alias\./i.test(name))
    findings.script({ ...word, text: value.startsWith("!") ? value.slice(1) : `git ${value}` })
  else if (/editor$|pager|command$|fsmonitor$|textconv$|helper$|program$/i.test(name))
    findings.script({ ...word, text: value })
}

/** `add`, `checkout -- path` and the like: files of the work tree. */
const files = (flags: string): Spec => ({ flags, operands: "mention" })

const remote: Spec = {
  flags: "-v --verbose",
  readOnly: true,
  operands: ({ operands }, findings) => {
    const [first] = operands
    if (first === undefined || first.text === "get-url" || (first.text === "show" && operands.length === 1)) return
    findings.changes()
    findings.hazard(first.at, "it changes the settings of the repository")
    // A transport of this form is a program.
    if (operands.some(({ text }) => text === null || text.includes("::")))
      findings.target({ ...first, text: ".git/config", glob: false }, "write")
  }
}

/** Settings in which credentials are kept, or that lead to them. */
const credential = /extraheader|token|passw|secret|cookie|^credential\.|^url\.|^sendemail\.|^imap\./i

/** What shows every setting shows tokens, too, that addresses and headers hold. */
const revealing = (words: ReadonlyArray<Word>, findings: Findings): void => {
  if (words.some(({ text }) => text === "--name-only")) return
  const first = words.findIndex(({ text }) => text?.startsWith("-") !== true)
  for (const [index, word] of words.entries()) {
    const { text } = word
    const isAll =
      text === null ||
      /^(?:-l|-z?l|--l[a-z-]*|--get-r[a-z-]*|--get-u[a-z-]*)$/.test(text) ||
      (index === first && text === "list")
    if (isAll || credential.test(text ?? ""))
      findings.hazard(word.at, "it may show credentials among the settings", "changes")
  }
}

const config: Spec = {
  always: revealing,
  // What follows a name is its value, also where it looks like a flag.
  posix: true,
  flags:
    "--get: --get-all: --list -l --global --local --system --show-origin --show-scope --name-only -z --null --includes --type:",
  readOnly: true,
  operands: ({ flags, operands }, findings) => {
    if (operands.length === 0 || ["--get", "--get-all", "--list", "-l"].some((flag) => flags.has(flag))) return
    // One name alone, and `get`, only show.
    const [first] = operands
    const shows = (operands.length === 1 && first?.text !== "edit") || first?.text === "get"
    const isOwn = !["--global", "--system"].some((flag) => flags.has(flag))
    if (shows || first === undefined) return
    for (const word of operands) findings.hazard(word.at, "it may change the settings of git")
    findings.changes()
    findings.target({ ...first, text: isOwn ? ".git/config" : null, glob: false }, "write")
  }
}

const stash: Spec = {
  flags:
    "-u --include-untracked -k --keep-index -q -m: --message: -a --all -S --staged -p --patch --stat --name-only --name-status",
  operands: ({ operands }, findings) => {
    const [first] = operands
    if (first === undefined) return
    if (!["push", "list", "show", "pop", "apply", "save"].includes(first.text ?? "")) {
      findings.hazard(first.at, "it may lose what was put away", "loses")
    }
  }
}

const checksOnly = /^--(?:check|stat|numstat|summary)$/

/** With these it only says what a patch would do. */
const apply: Spec = {
  readOnly: true,
  read: (words, findings) => {
    const checks = words.some(({ text }) => checksOnly.test(text ?? ""))
    const isOnly = words.every(
      ({ glob, text }) =>
        text !== null &&
        !glob &&
        (!text.startsWith("-") ||
          checksOnly.test(text) ||
          /^(?:-[vRq3]|-p\d+|--(?:verbose|reverse|3way|index|cached))$/.test(text))
    )
    if (checks && isOnly) {
      for (const word of words) if (word.text?.startsWith("-") === false) findings.target(word, "read")
      return
    }
    findings.changes()
    for (const [index, word] of words.entries()) {
      findings.hazard(word.at, "it changes what the patch names")
      findings.target(word, "mention")
      if (word.text?.startsWith("-") === true) written(word, words[index + 1], findings)
      else findings.target(word, "output")
    }
  }
}

const reflog: Spec = {
  flags: commits,
  readOnly: true,
  operands: ({ operands }, findings) => {
    const [first] = operands
    if (first === undefined || first.text === "show" || first.text?.startsWith("HEAD") === true) return
    findings.changes()
    findings.hazard(first.at, "it may remove history")
  }
}

const clone: Spec = {
  read: (words, findings) => {
    findings.changes()
    const operands = words.filter(({ text }) => text?.startsWith("-") !== true)
    for (const [index, word] of words.entries()) {
      findings.hazard(word.at, "it fetches a repository")
      findings.target(word, "mention")
      if (word.text?.startsWith("-") === true) written(word, words[index + 1], findings)
    }
    for (const word of operands.slice(1)) findings.target(word, "tree")
    findings.floor("unpacking")
  }
}

export const git: Spec = {
  always,
  flags: "--no-pager -P --version --help --no-optional-locks --literal-pathspecs --no-replace-objects",
  readOnly: true,
  sub: {
    status: {
      flags:
        "-s --short -b --branch --porcelain? --long -v --verbose -u? --untracked-files? --ignored? -z --show-stash --ahead-behind --no-ahead-behind --renames --no-renames -sb --column? --no-column --ignore-submodules?",
      operands: "mention",
      readOnly: true
    },
    diff: { flags: `${show} --cached --staged --merge-base`, operands: diffed, readOnly: true },
    log: reads(`${show} ${commits}`),
    show: reads(`${show} ${commits}`),
    shortlog: {
      // Without a revision it reads its input.
      ...reads("-s -n -e -c --summary --numbered --email --group: --no-merges --since: --all")
    },
    "rev-parse": reads(
      "--short? --verify --quiet -q --abbrev-ref? --show-toplevel --git-dir --git-common-dir --is-inside-work-tree --is-bare-repository --show-prefix --show-cdup --symbolic-full-name --symbolic --absolute-git-dir --all --branches --tags --revs-only --no-revs --flags --no-flags"
    ),
    "rev-list": reads(commits),
    "merge-base": reads("-a --all --is-ancestor --fork-point --octopus"),
    "ls-files": reads(
      "-z -c -d -m -o -i -s -u -k -t -v --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard --full-name --error-unmatch --directory --no-empty-directory --eol --deduplicate -x: --exclude: --abbrev?"
    ),
    "ls-tree": reads(
      "-d -r -t -l -z --name-only --name-status --full-name --full-tree --long --abbrev? --object-only --format:"
    ),
    "cat-file": reads("-t -s -e -p"),
    "name-rev": reads("--tags --name-only --all --always"),
    "for-each-ref": reads("--format: --sort: --count: --contains? --merged? --no-merged? --points-at:"),
    "symbolic-ref": {
      flags: "--short -q",
      readOnly: true,
      operands: ({ operands }, findings) => {
        if (operands.length > 1) findings.changes()
      }
    },
    "count-objects": reads("-v -H"),
    // It says which line of which ignore file leaves a name out.
    "check-ignore": { flags: "-v -q -n --verbose --quiet --non-matching --no-index", operands: "text", readOnly: true },
    apply,
    "diff-tree": reads(`${show} -r -t --root --no-commit-id -m -c --cc --always`),
    "show-ref": reads("--head --tags --heads --branches --verify -q --quiet -s --hash? -d"),
    describe: reads(
      "--tags --all --long --always --dirty? --abbrev: --match: --exclude: --contains --first-parent --exact-match --candidates:"
    ),
    blame: reads(
      "-L: -l -t -s -e -w -M -C -n -p --porcelain --line-porcelain --show-name --show-number --show-email --date: --root --since: --incremental -f --first-parent --abbrev: --color-lines --color-by-age"
    ),
    grep: {
      flags:
        "-n -i -l -L -w -v -E -F -G -P -c -h -H -o -q -r -z -I -a -p -W -e: -A: -B: -C: -m: -# --cached --untracked --no-index --line-number --ignore-case --files-with-matches --files-without-match --name-only --count --word-regexp --extended-regexp --fixed-strings --perl-regexp --only-matching --heading --break --color? --no-color --and --or --not --all-match --column --show-function --function-context --max-depth: --max-count: --full-name --recursive --text",
      operands: (parsed, findings) => {
        revisions(parsed, findings)
        if (!parsed.flags.has("--untracked") && !parsed.flags.has("--no-index")) return
        const places = parsed.flags.has("-e") ? parsed.operands : parsed.operands.slice(1)
        for (const word of places.length === 0 ? [here] : places) findings.target(word, "read", everything)
      },
      readOnly: true
    },
    branch: listOnly(
      "-a -r -v -vv -l -q --list --all --remotes --verbose --show-current --contains? --no-contains? --merged? --no-merged? --sort: --format: --points-at: --color? --no-color --column? --no-column --abbrev? -i -d"
    ),
    tag: listOnly(
      "-l -n? --list --sort: --contains? --no-contains? --merged? --no-merged? --points-at: --format: --column? -a -m: --color?"
    ),
    remote,
    config,
    stash,
    reflog,
    worktree: {
      flags: "--porcelain -v",
      readOnly: true,
      operands: ({ operands }, findings) => {
        const [first] = operands
        if (first === undefined || first.text === "list") return
        findings.hazard(first.at, "it writes a work tree")
        for (const word of operands.slice(1)) findings.target(word, "tree")
      }
    },
    // Without a terminal nobody answers what `-p` asks.
    add: files(
      "-p --patch -A -u -v -n -f --all --update --verbose --dry-run -N --intent-to-add --ignore-errors --chmod:"
    ),
    commit: changes(
      "-a -m: -q -v -s -n --all --message: --amend --no-edit --no-verify --allow-empty --signoff --quiet --verbose --dry-run --fixup: --squash: --author: --date: --no-gpg-sign --only --include --short --porcelain --reset-author --trailer: -F<"
    ),
    checkout,
    switch: losing(
      "-f --force --discard-changes -C --force-create",
      files(
        "-c: -q -d --create: --detach --track? -t --no-track --quiet -m --merge --guess --no-guess --orphan: --progress --no-progress"
      )
    ),
    restore,
    fetch: losing(
      "-f --force",
      fetches(
        "-a -p -q -v -t -n --all --prune --tags --no-tags --depth: --quiet --verbose --dry-run --unshallow --prune-tags -j: --jobs: --progress"
      )
    ),
    pull: fetches(
      "-q -v --rebase? --no-rebase --ff --ff-only --no-ff --all --prune -p --tags --quiet --verbose --autostash --no-autostash --no-edit --depth: --stat --no-stat"
    ),
    push,
    merge: losing(
      "--abort --quit",
      changes(
        "-m: -q -v --ff --no-ff --ff-only --continue --squash --no-commit --commit --no-edit --stat --no-stat -n --no-verify --allow-unrelated-histories --autostash --log? --quiet"
      )
    ),
    rebase: losing(
      "--abort --skip --quit",
      changes(
        "-q -v --continue --onto: --autostash --no-autostash --autosquash --no-autosquash --root --keep-base --stat -n --no-stat --committer-date-is-author-date --no-verify --quiet"
      )
    ),
    "cherry-pick": losing(
      "--abort --skip --quit",
      changes("-n -x -e -m: --continue --no-commit --ff --allow-empty --mainline:")
    ),
    revert: losing("--abort --skip --quit", changes("-n -m: --no-edit --no-commit --continue --mainline:")),
    mv: losing("-f --force", { flags: "-k -v -n --dry-run --verbose", operands: transfer("tree", true) }),
    rm: losing("-f --force", { flags: "-r -q -n --cached --ignore-unmatch --dry-run --quiet", operands: "tree" }),
    reset: losing("--hard --merge --keep", files("-q --soft --mixed -N --quiet --no-refresh")),
    clean,
    init: { flags: "-q --quiet -b: --initial-branch:", operands: "tree" },
    clone
  }
}
