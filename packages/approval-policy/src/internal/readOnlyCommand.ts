/**
 * The commands that plan mode may run: one program of plain words that changes nothing, inside the workspace.
 *
 * Exact shapes only. A word that a shell would change (quotes, variables, globs, operators), a flag that is not listed,
 * an absolute path, `..` and `~` are all refused. Git must still be run with its configuration neutralised.
 */
const word = /^(?:[A-Za-z0-9_./:@,+=-]|(?<=[A-Za-z0-9])~)+$/

const git =
  /^(?:--oneline|--stat|--short|--porcelain|--graph|--all|--decorate|--cached|--staged|--name-only|--name-status|--list|--no-color|--no-ext-diff|--no-textconv|-s|-sb|-p|-v|-vv|-n\d*|-\d+|--)$/
const list = /^(?:-[1aAlhrtSRFdk]+|--all|--human-readable|--)$/
const count = /^(?:-[nc]\d*|-\d+|--)$/

const flags: Readonly<Record<string, RegExp>> = {
  pwd: /^-[LP]$/,
  ls: list,
  cat: /^(?:-[nAbeEstTv]+|--)$/,
  head: count,
  tail: count,
  wc: /^(?:-[clmwL]+|--)$/,
  uniq: /^-[cdiu]+$/,
  "git status": git,
  "git diff": git,
  "git log": git,
  "git show": git
}

const stays = (argument: string): boolean =>
  !/^(?:\/|[A-Za-z]:)/.test(argument) && !argument.split(/[/:]/).includes("..") && !/:\//.test(argument)

/** True when the text is such a command. It may still need an approval: this only says that plan mode does not forbid it. */
export const isReadOnly = (text: string): boolean => {
  if (text === "git branch --list" || text === "git branch") return true
  const words = text.split(" ")
  if (!words.every((part) => word.test(part))) return false
  const [program = "", sub = ""] = words
  const name = program === "git" ? `git ${sub}` : program
  if (!Object.hasOwn(flags, name)) return false
  const rest = words.slice(program === "git" ? 2 : 1)
  const operands = rest.filter((part) => !part.startsWith("-"))
  if (name === "uniq" && operands.length > 1) return false
  return rest.every((part) => (part.startsWith("-") ? flags[name]?.test(part) === true : stays(part)))
}
