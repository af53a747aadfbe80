/**
 * The protected names that the git commands of a line would change in the work tree.
 *
 * Guarantees: git is asked with neutral settings, by an absolute program outside the workspace, and never where the
 * repository's own settings name programs; what cannot be told is not `known`. Changes nothing.
 */
import type * as CommandFact from "../CommandFact.ts"
import type * as CommandReading from "../CommandReading.ts"
import * as ProtectedPath from "../ProtectedPath.ts"
import { type GitProgram, GitSettings, Repository } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import { Share } from "@belay/machine"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Looked from "./Looked.ts"
import * as GitMoves from "./GitMoves.ts"
import type { Question } from "./GitQuestions.ts"
import * as GitSignatures from "./GitSignatures.ts"

export type GitChanges = NonNullable<CommandFact.CommandFact["gitChanges"]>

interface Place {
  readonly workspace: string
  /** Absolute and resolved. */
  readonly folder: string
  readonly environment: GitProgram.Environment
  readonly looked?: Looked.Looked
}

/** What git says; undefined where it fails, or is not asked. */
/** Nothing is changed here. */
type Reading = Omit<Repository.Repository, "change">

const git = (repository: Reading, args: ReadonlyArray<string>): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(repository.ask(args), () => undefined)

/** Of `--numstat -z` the name is the third column. */
const namesIn = (question: Question, out: string): ReadonlyArray<string> =>
  out
    .split("\0")
    .map((text) => (question[0] === "apply" ? text.replace(/^[\d-]+\t[\d-]+\t/, "") : text).replace(/^\n+/, ""))
    .filter((name) => name !== "")

const unknown: GitChanges = { known: false, names: [] }

const isProtected = (name: string): boolean => ProtectedPath.match(name, "write") !== undefined

/** Those of the words that name a commit. Words of the log of a branch are asked alone: git ends at the first it lacks. */
const commitsIn = Effect.fnUntraced(function* (repository: Reading, words: ReadonlyArray<string>) {
  const asked = words.filter((word) => !/\s|@\{/.test(word))
  const input = asked.map((word) => `${word}^{commit}\n`).join("")
  const check = ["cat-file", "--batch-check=%(objecttype)"]
  const said = yield* Effect.orElseSucceed(repository.askWith(input, check), () => undefined)
  const answers = said?.split("\n") ?? []
  const found = new Set(asked.filter((_, index) => answers[index] === "commit"))
  for (const word of words.filter((one) => one.includes("@{"))) {
    const verify = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${word}^{commit}`]
    if ((yield* git(repository, verify)) !== undefined) found.add(word)
  }
  return found
})

const ofOne = Effect.fnUntraced(function* (repository: Reading, args: ReadonlyArray<string>, folder: string) {
  const commits = yield* commitsIn(repository, GitMoves.candidates(args))
  const ask = (question: ReadonlyArray<string>) => git(repository, question)
  if (yield* GitSignatures.isChecked(args, [...commits], ask)) return { known: true, names: [], signed: true } as const
  const questions = GitMoves.of(args, {
    isCommit: (word) => commits.has(word),
    isPath: (word) => {
      const file = path.resolve(folder, word)
      return !Share.isForeign(file, [folder]) && fs.existsSync(file)
    }
  })
  if (questions === "unknown") return unknown
  const names = new Set<string>()
  for (const question of questions) {
    const said = yield* git(repository, question)
    if (said === undefined) return unknown
    for (const name of namesIn(question, said)) if (isProtected(name)) names.add(name)
  }
  return { known: true, names: [...names].toSorted() }
})

const remembering = ({ ask, askWith }: Reading, folder: string, { asked }: Looked.Looked): Reading => ({
  ask: (args) => asked(["git", folder, args], ask(args)),
  askWith: (input, args) => asked(["git", folder, args, input], askWith(input, args))
})

const isGit = (argv: CommandReading.Action["argv"]): boolean => {
  const name = path.posix.basename(argv[0] ?? "").toLowerCase()
  return name === "git" || name === "git.exe"
}

const isWord = (word: string | null): word is string => word !== null

const folderChanges: ReadonlyArray<string> = ["cd", "popd", "pushd"]

/** Nothing where no git command of the line moves the work tree. */
export const of = Effect.fnUntraced(function* (
  { actions }: CommandReading.CommandReading,
  place: Place
): Effect.fn.Return<GitChanges | undefined> {
  const calls = actions.flatMap(({ argv }, index) => (isGit(argv) ? [{ args: argv.slice(1), index }] : []))
  const movers = calls.filter(({ args }) => GitMoves.isMover(args))
  if (movers.length === 0) return undefined
  const isFirst = movers.length === calls.length && !actions.some(({ argv }) => folderChanges.includes(argv[0] ?? ""))
  // Git fails there.
  if (isFirst && !GitSettings.isRepository(place.folder)) return undefined
  if (actions.some(({ argv }) => folderChanges.includes(argv[0] ?? ""))) return unknown
  const { environment, folder, looked = Looked.never } = place
  const opened = yield* looked.asked(["opened", folder], Effect.option(Repository.open(folder, environment)))
  if (opened._tag === "None") return unknown
  const repository = remembering(opened.value, folder, looked)
  const found: Array<GitChanges> = []
  for (const { args, index } of movers) {
    const isSettled = calls.every(
      (call) =>
        call.index >= index ||
        GitMoves.isStill(call.args) ||
        (GitMoves.isTakenBack(args) && GitMoves.isPutAway(call.args))
    )
    found.push(isSettled && args.every(isWord) ? yield* ofOne(repository, args, folder) : unknown)
  }
  return {
    known: found.every(({ known }) => known),
    ...(found.some(({ signed }) => signed === true) ? { signed: true as const } : {}),
    names: [...new Set(found.flatMap(({ names }) => names))].toSorted()
  }
})
