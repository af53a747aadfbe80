/**
 * What git knows of a workspace: changes that are not committed, and single commits, as text.
 *
 * Git runs with arguments, without a shell, without hooks, pagers, external programs or the user's configuration of
 * them; of the files that it names only those are shown that may be read.
 */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"

const neutral = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"]
const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--relative"]

/** Characters of a diff. */
const longest = 48_000

const git = (workspace: string, args: ReadonlyArray<string>): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    const kept = ["PATH", "HOME", "USERPROFILE", "SystemRoot", "TMPDIR", "TEMP"].map((name) => [
      name,
      process.env[name]
    ])
    const env = { ...Object.fromEntries(kept), GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" }
    const options = { cwd: workspace, env, maxBuffer: 16_000_000, timeout: 10_000 }
    const child = execFile("git", [...neutral, ...args], options, (error, stdout) =>
      resume(Effect.succeed(error === null ? stdout : undefined))
    )
    return Effect.sync(() => void child.kill())
  })

type MayRead = (path: string) => Effect.Effect<boolean>

const shown = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}\n(Left out: the rest of ${text.length} characters.)`

/** Runs a command of git for the files that may be read, and says which were left out. */
const filtered = (
  workspace: string,
  names: ReadonlyArray<string>,
  diff: ReadonlyArray<string>,
  mayRead: MayRead
): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const listed = yield* git(workspace, names)
    if (listed === undefined) return undefined
    const files = [...new Set(listed.split("\0").filter((name) => name.trim() !== ""))]
    const allowed = yield* Effect.filter(files, mayRead)
    const out = files.filter((file) => !allowed.includes(file))
    const text =
      allowed.length === 0 ? "" : yield* git(workspace, [...diff, "--", ...allowed.map((file) => `:(literal)${file}`)])
    const note = out.length === 0 ? "" : `(Not shown: ${out.join(", ")})\n`
    return text === undefined ? undefined : shown(note + text)
  })

/** What is not committed, with the names of new files; empty without changes, `undefined` where there is no repository. */
export const changes = (workspace: string, mayRead: MayRead): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const status = yield* git(workspace, ["status", "--short", "--branch"])
    if (status === undefined) return undefined
    const head = ["diff", "HEAD", ...plain]
    const diff = yield* filtered(workspace, [...head, "--name-only", "-z"], head, mayRead)
    return [status.trimEnd(), diff ?? ""].filter((part) => part !== "").join("\n\n")
  })

/** A commit: message and changes; `undefined` when there is none of this name. */
export const commit = (workspace: string, hash: string, mayRead: MayRead): Effect.Effect<string | undefined> => {
  const show = ["show", ...plain]
  return filtered(
    workspace,
    [...show, "--format=", "--name-only", "-z", "--end-of-options", `${hash}^{commit}`],
    [...show, "--stat", "--patch", "--end-of-options", `${hash}^{commit}`],
    mayRead
  )
}

export interface Commit {
  /** Ten digits or more. */
  readonly hash: string
  /** Its first line. */
  readonly subject: string
}

/** The newest commits, at most 50; none where there is no repository. */
export const recent = (workspace: string): Effect.Effect<ReadonlyArray<Commit>> =>
  Effect.map(
    git(workspace, ["log", "--max-count=50", "--abbrev=10", "--no-show-signature", "--format=%h%x09%s"]),
    (text = "") =>
      text.split("\n").flatMap((line) => {
        const [hash = "", subject = ""] = line.split("\t", 2)
        return hash === "" ? [] : [{ hash, subject }]
      })
  )
