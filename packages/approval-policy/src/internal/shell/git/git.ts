/** git: what its subcommands read, change and destroy. */
import { transfer } from "../programs/files.ts"
import { rearranged, templated } from "./gitTree.ts"
import { checkout, clean, losing, restore } from "./losses.ts"
import { clone, destroys, fetches, push, remote } from "./remotes.ts"
import { commits, diffed, reads, revisions, show } from "./revisions.ts"
import { config, configured, set } from "./settings.ts"
import { running } from "./running.ts"
import { signing } from "./signing.ts"
import { written } from "../table/flags.ts"
import { everything, type Findings, here, type Spec, type Word } from "../table/spec.ts"

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
  signing(words, findings)
  running(words, findings)
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
    const lent = /^--config-env(?:=(.*))?$/s.exec(text ?? "")
    const [name] = (lent?.[1] ?? (lent === null ? "" : words[index + 1]?.text) ?? "").split("=", 1)
    if (lent !== null && name !== undefined) set(name, { ...word, text: null }, words.slice(index + 1), findings)
    if (setting !== undefined) configured(setting, words.slice(index + (text === "-c" ? 2 : 1)), findings)
  }
}

/** `add`, `checkout -- path` and the like: files of the work tree. */
const files = (flags: string): Spec => ({ flags, operands: "mention" })

const stash: Spec = {
  flags:
    "-u --include-untracked -k --keep-index -q -m: --message: -a --all -S --staged -p --patch --stat --name-only --name-status",
  operands: ({ operands }, findings) => {
    const [first, ...rest] = operands
    if (first === undefined) return
    for (const word of rest) findings.target(word, "mention")
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
