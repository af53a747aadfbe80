/**
 * Questions about a repository of the user that only read.
 *
 * Guarantees: nothing that the project names runs. The git of `GitProgram` runs with neutral settings, in an environment
 * of our own, and only after `GitSettings` has found no program. Of the user's own configuration two settings count: which
 * files are ignored everywhere, and which folders of other users are trusted; their filters, such as those of git-lfs,
 * do not run. It ends after 10 seconds and at 16 MB of output; repositories inside are not entered.
 */
import { Folder } from "@belay/machine"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as os from "node:os"
import * as path from "node:path"
import * as Git from "./Git.ts"
import { type GitFailed, GitRefused } from "./GitError.ts"
import * as GitProgram from "./GitProgram.ts"
import * as GitSettings from "./GitSettings.ts"

/** Runs git in one repository without running any program that the repository names. */
export interface Repository {
  /** Standard output. Paths among the arguments follow `--` and are taken literally. */
  readonly ask: (args: ReadonlyArray<string>) => Effect.Effect<string, GitFailed | GitRefused>
  /** As `ask`, of a git that reads `input`. */
  readonly askWith: (input: string, args: ReadonlyArray<string>) => Effect.Effect<string, GitFailed | GitRefused>
  /**
   * Standard output of a git that changes the repository, in the user's name. Neither hooks nor filters, merge drivers or
   * signing programs run; refused where the repository names one. It ends after 10 minutes.
   */
  readonly change: (args: ReadonlyArray<string>) => Effect.Effect<string, GitFailed | GitRefused>
}

const longest = Duration.seconds(10)
const longestChange = Duration.minutes(10)
/** Bytes. */
const largest = 16_000_000

type Settings = ReadonlyArray<readonly [name: string, value: string]>

/** The user's word, asked outside of every repository. */
const userSettings = (program: string, environment: GitProgram.Environment, folder: string) =>
  Git.run(program, {
    args: [
      "config",
      "--includes",
      "-z",
      "--get-regexp",
      String.raw`^(core\.excludesfile|safe\.directory|user\.(name|email))$`
    ],
    cwd: path.dirname(program),
    env: { ...Git.userEnvironment(environment, [folder]), GIT_DIR: Git.nowhere() }
  }).pipe(
    Effect.map(({ stdout }): Settings =>
      stdout
        .toString("utf8")
        .split("\0")
        .flatMap((entry) => {
          const [name = "", ...lines] = entry.split("\n")
          return name === "" ? [] : [[name, lines.join("\n")] as const]
        })
    ),
    // Without any, git ends with 1.
    Effect.orElseSucceed((): Settings => [])
  )

const homeOf = (environment: GitProgram.Environment): string | undefined =>
  environment[process.platform === "win32" ? "USERPROFILE" : "HOME"]

/** Where git looks for ignored files without a setting; it does not know the home folder here. */
const usualExcludes = (environment: GitProgram.Environment): Settings => {
  const home = homeOf(environment)
  const folder = environment["XDG_CONFIG_HOME"] || (home === undefined ? undefined : path.join(home, ".config"))
  return folder === undefined ? [] : [["core.excludesFile", path.join(folder, "git", "ignore")]]
}

/** `~/` stands for the home folder, which git is not told. */
const withHome = (value: string, environment: GitProgram.Environment): string =>
  value.startsWith("~/") ? path.join(homeOf(environment) ?? os.homedir(), value.slice(2)) : value

const refuse = (reason: GitRefused["reason"], ...subject: ReadonlyArray<string>) =>
  Effect.fail(new GitRefused({ reason, subject }))

const inTime = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | GitRefused> =>
  Effect.timeoutOrElse(effect, { duration: longest, orElse: () => refuse("tooSlow", "10 seconds") })

const check = (folder: string, purpose: "read" | "change" = "read") =>
  Effect.suspend(() => {
    const found = GitSettings.programs(folder, purpose)
    return found.length === 0 ? Effect.void : refuse("programs", ...found)
  })

/** Standard output up to the limit; git is ended beyond it. */
const limited = Effect.fnUntraced(function* (program: string, call: Git.Call) {
  const over = yield* Deferred.make<never, GitRefused>()
  const pieces: Array<Buffer> = []
  let size = 0
  const onOutput = (piece: Buffer) => {
    size += piece.length
    if (size <= largest) pieces.push(piece)
    else Deferred.doneUnsafe(over, refuse("tooMuch", "16 MB"))
  }
  yield* Effect.raceFirst(Git.run(program, { ...call, onOutput }), Deferred.await(over))
  return Buffer.concat(pieces).toString("utf8")
})

/**
 * The repository that a folder lies in, if any. Errors: `GitRefused`, also of each question, as settings may change
 * meanwhile; `GitFailed` of a question that git could not answer, as where there is no repository.
 */
export const open = Effect.fnUntraced(function* (
  workspace: string,
  environment: GitProgram.Environment = process.env
): Effect.fn.Return<Repository, GitRefused> {
  const folder = Folder.canonicalOr(path.resolve(workspace))
  const program = GitProgram.find(environment, [folder])
  if (program === undefined) return yield* refuse("noGit")
  yield* check(folder)
  const users = yield* inTime(userSettings(program, environment, folder))
  const trusted: Settings = users.flatMap(([name, value]) =>
    name === "core.excludesfile" || name === "safe.directory" ? [[name, withHome(value, environment)] as const] : []
  )
  const settings = Git.settings([...usualExcludes(environment), ...trusted, ...Git.neutral])
  const env = Git.ownEnvironment(environment, [folder])
  const call = (args: ReadonlyArray<string>) => ({ args: ["--no-pager", ...settings, ...args], cwd: folder, env })
  const asked = (given: Git.Call) => Effect.andThen(check(folder), inTime(limited(program, given)))
  /** The user's name, where the repository has none of its own. */
  const named = Effect.forEach(
    users.filter(([name]) => name.startsWith("user.")),
    ([name, value]) =>
      Effect.match(asked(call(["config", "--get", name])), {
        onFailure: () => [[name, value] as const],
        onSuccess: () => []
      })
  ).pipe(Effect.map((found) => Git.settings([...found.flat(), ["commit.gpgSign", "false"], ["gc.auto", "0"]])))
  const changed = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
    yield* check(folder, "change")
    const given = call([...(yield* named), ...args])
    return yield* Effect.timeoutOrElse(limited(program, given), {
      duration: longestChange,
      orElse: () => refuse("tooSlow", "10 minutes")
    })
  })
  return {
    ask: (args) => asked(call(args)),
    change: changed,
    askWith: (input, args) => asked({ ...call(args), stdin: Buffer.from(input) })
  }
})
