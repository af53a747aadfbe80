/**
 * Rules of the model of paths, each with what its source is without it. A text occurs exactly once in its file, so that a rule
 * which is rewritten makes the proof fail until its mutant is rewritten too.
 */
export interface Mutation {
  readonly name: string
  /** Below `packages`. */
  readonly file: string
  readonly find: string
  readonly put: string
}

const policy = "approval-policy/src"
const shell = `${policy}/internal/shell`
const settingNames = "git-runner/src/internal/settingNames.ts"

const mutation = (name: string, file: string, find: string, put = ""): Mutation => ({ name, file, find, put })

export const mutations: ReadonlyArray<Mutation> = [
  mutation(
    "a checkout moves no path",
    `${policy}/internal/commandOrder.ts`,
    'if (action.moves === "anywhere") return [{ at, action, places: undefined }]',
    'if (action.moves === "anywhere") return []'
  ),
  mutation(
    "what a program moves stays where it was",
    `${policy}/internal/commandOrder.ts`,
    "return [{ at, action, places }]",
    "return [{ at, action, places: [] }]"
  ),
  mutation(
    "what is below a place that was moved stays",
    `${policy}/internal/commandOrder.ts`,
    'file.startsWith(folder.endsWith("/") || folder.endsWith("\\\\") ? folder : `${folder}/`) ||',
    ""
  ),
  mutation(
    "what lies in a folder is not under the floor",
    `${policy}/internal/commandFloor.ts`,
    "...below(action, target, facts),"
  ),
  mutation(
    "a copy of a tree moves no path",
    `${shell}/programs/files.ts`,
    'if (source === "tree") findings.moves("targets")'
  ),
  mutation(
    "what lies in a source does not appear at the goal",
    `${shell}/programs/files.ts`,
    "findings.target(word, source, copied)",
    "findings.target(word, source)"
  ),
  mutation(
    "a copy follows no links",
    `${shell}/programs/files.ts`,
    'if (isDeep && has(parsed, followsLinks)) findings.target(word, "read", { ...everything, follows: "all" })'
  ),
  mutation(
    "what is put into a folder has no name there",
    `${shell}/programs/files.ts`,
    "for (const word of sources) entry(word, goal, findings, met)"
  ),
  mutation(
    "a repository is not lost with its folder",
    `${shell}/programs/files.ts`,
    "findings.target(word, role, isDeep ? repositories : undefined)",
    "findings.target(word, role)"
  ),
  mutation(
    "a name with {} in it is what it says",
    `${shell}/programs/find.ts`,
    'if (word.text !== "{}") return [{ ...word, text: null }]',
    'if (word.text !== "{}") return [word]'
  ),
  mutation(
    "what find finds is where it begins",
    `${shell}/programs/find.ts`,
    "({ ...word, glob, text, below })",
    "({ ...word, glob, text })"
  ),
  mutation(
    "find finds no links",
    `${shell}/table/found.ts`,
    'const all: Branch = { names: undefined, skips: [], follows: "files" }',
    'const all: Branch = { names: undefined, skips: [], follows: "nothing" }'
  ),
  mutation(
    "the word after a flag that is not listed is nothing",
    `${shell}/table/flags.ts`,
    'if (next !== undefined && next.text !== null && !/^-./.test(next.text)) findings.target(next, "output")'
  ),
  mutation(
    "the value of a flag that is not listed is nothing",
    `${shell}/table/flags.ts`,
    'if (value !== "") findings.target({ ...word, text: value }, "output")',
    'if (value !== "") continue'
  ),
  mutation(
    "a long flag has no short cuts",
    `${shell}/table/flags.ts`,
    'for (const [name, { kind }] of known) if (name.startsWith(start)) note(name, kind === "switch" ? undefined : value)',
    'if (start === "" && value === undefined) return'
  ),
  mutation("git rearranges nothing", `${shell}/git/git.ts`, "rearranged(words, findings)\n"),
  mutation("git compares no plain files", `${shell}/git/git.ts`, "outsideOf(words, findings)\n"),
  mutation(
    "grep reads a folder and nothing in it",
    `${shell}/programs/search.ts`,
    "const below = isDeep ? grepped(parsed) : undefined",
    "const below = isDeep ? undefined : grepped(parsed)"
  ),
  mutation(
    "whatever feeds xargs gives names of the folder",
    `${shell}/producers.ts`,
    "return flags(words).every((flag) => lister.test(flag)) ? { here: true, quoted: false, below: every } : undefined",
    "return { here: true, quoted: false, below: every }"
  ),
  mutation(
    "what feeds xargs are no links",
    `${shell}/producers.ts`,
    'const every: Omit<Below, "splits"> = { names: [], skips: [], follows: "files" }',
    'const every: Omit<Below, "splits"> = { names: [], skips: [], follows: "nothing" }'
  ),
  mutation(
    "git lists what is below the folder",
    `${shell}/producers.ts`,
    "if (places.some((word) => /^[:/~]|(?:^|\\/)\\.\\.(?:\\/|$)/.test(word))) return undefined"
  ),
  mutation(
    "what commits name lies below the folder",
    `${shell}/producers.ts`,
    'return isOfIndex ? { names: [], tracked: "top", modified: true } : undefined',
    'return before.includes("--name-only") ? { names: [] } : undefined'
  ),
  mutation(
    "the value of a flag is a flag",
    `${shell}/producers.ts`,
    'const said = told(words, name === "rg" ? valued.rg : valued.grep)',
    "const said = told(words, /^-$/)"
  ),
  mutation("errors are no part of what is printed", `${shell}/read.ts`, "if (command.mixed) this.mixed.add(draft)"),
  mutation(
    "names end wherever xargs is told",
    `${shell}/programs/find.ts`,
    "else elsewhere = true",
    "else splits = false"
  ),
  mutation(
    "one program that reads makes a line that reads",
    `${policy}/CommandRule.ts`,
    "reading.actions.every(({ readOnly }) => readOnly)",
    "reading.actions.some(({ readOnly }) => readOnly)"
  ),
  mutation(
    "a pattern stands for itself",
    `${policy}/facts/CommandFiles.ts`,
    'const matched = glob ? looked.once(["matched", given, folder], () => expand(given, place)) : [given]',
    "const matched = [given]"
  ),
  mutation(
    "a link in a folder does not leave it",
    `${policy}/facts/WholeFolder.ts`,
    'if (!fact.inside && !(isRead && fact.kind === "absent")) found.outside ??= relative',
    "if (fact.failure !== undefined) found.outside ??= relative"
  ),
  mutation(
    "only the displayed path has to lie inside",
    `${policy}/facts/PathResolver.ts`,
    "&& Folder.contains(options.workspace, resolved, machine)",
    ""
  ),
  mutation(
    "a link is the file that it is",
    `${policy}/facts/PathResolver.ts`,
    "} else if (found.isSymbolicLink()) {",
    "} else if (found.isBlockDevice()) {"
  ),
  mutation("filters of a repository are no programs", settingNames, "filter\\..+\\.(?:clean|smudge|process)|", "")
]
