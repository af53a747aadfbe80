/**
 * The folders that git takes settings and hooks from, for the places that a call writes to: protected wherever they lie.
 * https://git-scm.com/docs/git-config#Documentation/git-config.txt-corehooksPath, https://git-scm.com/docs/githooks
 *
 * Guarantees: never runs git. Every file that git reads for a repository counts, with what it includes, and every line
 * that sets `hooksPath` in it, whatever its section or condition: a folder too many asks once too often.
 */
import { Folder, Machine } from "@belay/machine"
import type * as PathFact from "../PathFact.ts"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Looked from "./Looked.ts"

const largest = 16_000_000
const mostFiles = 100

const hookNames: ReadonlyArray<string> =
  "applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit p4-prepare-changelist post-applypatch post-checkout post-commit post-index-change post-merge post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg proc-receive push-to-checkout reference-transaction sendemail-validate update".split(
    " "
  )

const textOf = (file: string): string => {
  try {
    const found = fs.statSync(file)
    return found.isFile() && found.size <= largest ? fs.readFileSync(file, "utf8") : ""
  } catch {
    return ""
  }
}

const statOf = (file: string): fs.Stats | undefined => {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** What a file such as `.git` or `commondir` names. */
const pointed = (file: string, prefix: string): string | undefined => {
  const text = textOf(file).replace(/[\r\n]+$/, "")
  return text.startsWith(prefix) && text.length > prefix.length
    ? path.resolve(path.dirname(file), text.slice(prefix.length).trim())
    : undefined
}

interface Repository {
  /** Where `.git` stands. */
  readonly top: string
  readonly own: string
  readonly common: string
}

const repositoryOf = (folder: string): Repository | undefined => {
  for (let top = folder; ; top = path.dirname(top)) {
    const git = path.join(top, ".git")
    const found = statOf(git)
    const own = found?.isDirectory() === true ? git : found?.isFile() === true ? pointed(git, "gitdir:") : undefined
    if (own !== undefined) return { top, own, common: pointed(path.join(own, "commondir"), "") ?? own }
    if (top === path.dirname(top)) return undefined
  }
}

/** The values of a setting in every way that they may be meant: with and without what may be a comment. */
const valuesOf = (text: string, name: string): ReadonlyArray<string> => {
  const lines = text.replaceAll(/\\\r?\n/g, "").matchAll(new RegExp(`(?:^|[\\]\\s])${name}[ \\t]*=[ \\t]*(.*)$`, "gim"))
  return [...lines].flatMap(([, written = ""]) => {
    const whole = written.trim()
    const plain = (value: string) => value.replaceAll(/\\(.)|"/g, "$1").trim()
    return [plain(whole), plain(whole.replace(/\s*[#;].*$/, ""))].filter((value) => value !== "")
  })
}

const spelledOut = (value: string, base: string): string =>
  path.resolve(base, value.startsWith("~/") ? path.join(Machine.home(), value.slice(2)) : value)

interface Read {
  /** Which file with which content it was. */
  readonly mark: string
  readonly hooks: ReadonlyArray<string>
  readonly includes: ReadonlyArray<string>
}

/** What a file says stays until it is another one. */
const known = new Map<string, Read>()
const mostKnown = 1000

const markedStat = (file: string): fs.BigIntStats | undefined => {
  try {
    return fs.statSync(file, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const read = (file: string): Read => {
  const found = markedStat(file)
  const mark =
    found === undefined ? "absent" : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`
  const before = known.get(file)
  if (before?.mark === mark) return before
  if (known.size >= mostKnown) known.clear()
  const text = found === undefined ? "" : textOf(file)
  const now = { mark, hooks: valuesOf(text, "hookspath"), includes: valuesOf(text, "path") }
  known.set(file, now)
  return now
}

/** What these files and all that they include say of hooks. */
const hooksIn = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = [...new Set(files)]
  const found: Array<string> = []
  for (let index = 0; index < all.length && index < mostFiles; index++) {
    const file = all[index]!
    const { hooks, includes } = read(file)
    found.push(...hooks)
    const more = includes.map((value) => spelledOut(value, path.dirname(file)))
    all.push(...more.filter((include) => !all.includes(include)))
  }
  return found
}

const ofTheUser = (): ReadonlyArray<string> => {
  const home = Machine.home()
  const settings = process.env["XDG_CONFIG_HOME"] || path.join(home, ".config")
  const named = process.env["GIT_CONFIG_GLOBAL"]
  return [
    "/etc/gitconfig",
    path.join(settings, "git", "config"),
    path.join(home, ".gitconfig"),
    ...(named === undefined ? [] : [named])
  ]
}

const real = (file: string): string => {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return file
  }
}

const ofRepository = ({ common, own, top }: Repository): ReadonlyArray<string> => {
  const files = [path.join(common, "config"), path.join(own, "config.worktree"), ...ofTheUser()]
  const named = hooksIn(files).map((value) => spelledOut(value, top))
  // Of a folder that holds the whole project git runs what has the name of a hook.
  const folders = named.flatMap((folder) =>
    Folder.contains(real(folder), real(top)) ? hookNames.map((hook) => path.join(folder, hook)) : [folder]
  )
  return [own, common, ...folders].flatMap((folder) => [folder, real(folder)])
}

/** Absolute; for these folders, and for those that the facts write to. */
export const of = (
  workspace: string,
  facts: ReadonlyArray<PathFact.PathFact>,
  looked: Looked.Looked = Looked.never
): ReadonlyArray<string> => {
  const writes = facts.filter(({ access }) => access === "write").map(({ resolved }) => path.dirname(resolved))
  const tops = new Map<string, Repository>()
  for (const folder of new Set([workspace, ...writes])) {
    const repository = looked.once(["repository", folder], () => repositoryOf(folder))
    if (repository !== undefined) tops.set(repository.top, repository)
  }
  const places = [...tops.values()].flatMap((repository) =>
    looked.once(["gitFolders", repository], () => ofRepository(repository))
  )
  return [...new Set(places)]
}
