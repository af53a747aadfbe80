/** Settings that a sane person has. */
import { Approvals } from "@belay/approval-policy"

export interface Setting {
  readonly name: string
  readonly mode: "act" | "plan"
  readonly approvals: Approvals.Approvals
  /** Whether its entries for files let a command change this one, relative to the workspace. */
  readonly mayChange?: (relative: string) => boolean
}

const split = (text: string): ReadonlyArray<string> => text.split(" ")

const readers = [
  ...split(
    "ls cat head tail wc sort uniq cut tr grep egrep rg fd find xargs diff cmp comm join paste nl tac rev fold od xxd strings stat file du df tree echo printf pwd cd test [ true basename dirname realpath readlink md5sum sha256sum base64 shuf expand column date sed awk jq"
  ),
  ...["status", "diff", "log", "show", "ls-files", "ls-tree", "grep", "blame", "rev-parse", "branch", "cat-file"].map(
    (name) => `git ${name}`
  )
]

const changers = [
  ...split("cp mv ln mkdir touch rm rmdir tee truncate install chmod dd split csplit unlink"),
  ...["add", "commit", "checkout", "switch", "restore", "stash", "mv", "rm", "merge", "apply", "archive", "tag"].map(
    (name) => `git ${name}`
  )
]

/** What a person adds who has looked at it: entries that spell what their program writes. */
const spelled = [
  "sed -i",
  "sed -i -e",
  "sort -o",
  "tar",
  "tar -xf",
  "tar -cf",
  "tar xf",
  "rsync",
  "rsync -a",
  "rsync -r",
  "xargs cp",
  "xargs rm",
  "xargs cat",
  "xargs -I{} cp",
  "find . -delete",
  "git worktree add",
  "git clone",
  "git clean",
  "git clean -fd",
  "git checkout",
  "git stash",
  "git stash pop",
  "git diff --output",
  "git config",
  "patch",
  "git apply"
]

const commands = (...allow: ReadonlyArray<string>) => ({ allow, deny: [], other: "ask" as const })

const all = [...readers, ...changers]

const locked = /^(?:src|lib)(?:\/|$)/

export const settings: ReadonlyArray<Setting> = [
  { name: "ask", mode: "act", approvals: { ...Approvals.ask, commands: commands(...all) } },
  { name: "edits", mode: "act", approvals: { ...Approvals.edits, commands: commands(...all, ...spelled) } },
  { name: "all", mode: "act", approvals: Approvals.all },
  { name: "readers", mode: "act", approvals: { ...Approvals.ask, commands: commands(...readers) } },
  { name: "plan", mode: "plan", approvals: { ...Approvals.edits, commands: commands(...readers) } },
  { name: "plan, all", mode: "plan", approvals: Approvals.all },
  {
    name: "locked",
    mode: "act",
    approvals: {
      ...Approvals.edits,
      commands: commands(...all),
      paths: [
        { pattern: "src/**", edit: "deny" },
        { pattern: "lib/**", edit: "ask" }
      ]
    },
    mayChange: (relative) => !locked.test(relative)
  }
]

const turns = [
  ["ask", "plan"],
  ["edits", "readers"],
  ["locked", "plan, all"],
  ["all"],
  ["ask", "readers"],
  ["edits", "plan, all"],
  ["all", "plan"]
]

/** To decide costs more than to generate: each line is decided under some of them, in turn. */
export const inTurn = (index: number): ReadonlyArray<Setting> =>
  settings.filter(({ name }) => turns[index % turns.length]?.includes(name) ?? false)
