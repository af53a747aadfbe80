/** What of git throws away work that is kept nowhere else: a rule has to name it. */
import type { Spec } from "../table/spec.ts"

const lost = "it may lose work that is not committed"

/** With these flags it throws away what is kept nowhere else. */
export const losing = (flags: string, spec: Spec): Spec => {
  const names = flags.split(" ")
  return {
    ...spec,
    flags: `${spec.flags ?? ""} ${names.map((name) => `${name}?`).join(" ")}`,
    always: (words, findings) => {
      for (const word of words) {
        const text = word.text ?? ""
        if (text === "--") return
        const isLosing = names.some((name) =>
          name.startsWith("--") ? text.split("=")[0] === name : new RegExp(`^-[A-Za-z]*${name[1]}`).test(text)
        )
        if (isLosing) findings.hazard(word.at, `with ${text} ${lost}`, "loses")
      }
    }
  }
}

/** Branches as everybody names them, and names that only a revision has. */
const branches =
  /^(?:-|@|main|master|develop|development|dev|trunk|staging|production|next|HEAD|(?:HEAD|@)[~^@].*|origin\/(?:HEAD|main|master|develop)|[0-9a-f]{7,40})$/

/** Files of the work tree take the place of what is there; the name of a branch does not. */
export const checkout: Spec = losing("-f --force -B", {
  flags:
    "-b: -q --quiet --detach -d --ours --theirs --track? -t --no-track -m --merge --progress --no-progress --guess --no-guess --orphan: --no-overlay",
  operands: ({ flags, operands }, findings) => {
    const makes = ["-b", "-B", "--orphan", "--detach", "-d", "-t", "--track"].some((flag) => flags.has(flag))
    for (const [index, word] of operands.entries()) {
      findings.target(word, "mention")
      if (word.behindDashes || (index > 0 && !makes) || /^(?:\.|\.\.|:.*|.*\/)$/.test(word.text ?? "."))
        findings.hazard(word.at, lost, "loses")
      else if (!makes && !branches.test(word.text ?? "")) findings.unless(word.at, lost, word)
    }
  }
})

export const restore: Spec = {
  flags: "-s: --source: -S -W --staged --worktree -q --quiet --ours --theirs --progress --no-progress",
  operands: ({ flags, operands }, findings) => {
    const isIndex = (flags.has("-S") || flags.has("--staged")) && !flags.has("-W") && !flags.has("--worktree")
    for (const word of operands) {
      findings.target(word, "mention")
      if (!isIndex) findings.hazard(word.at, lost, "loses")
    }
  }
}

/** Without a dry run it removes what git does not know. */
export const clean: Spec = {
  flags: "-n -f -d -x -X -q --dry-run --force --quiet -e: --exclude:",
  operands: ({ flags, operands }, findings) => {
    for (const word of operands) findings.target(word, "mention")
    if (flags.has("-n") || flags.has("--dry-run")) return
    for (const word of operands) findings.hazard(word.at, lost, "loses")
  },
  always: (words, findings) => {
    const isDry = words.some(({ text }) => /^(?:-[dxXqe]*n[dxXq]*|--dry-run)$/.test(text ?? ""))
    for (const word of words) if (!isDry && /^-./.test(word.text ?? "-f")) findings.hazard(word.at, lost, "loses")
  }
}
