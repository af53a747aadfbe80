/**
 * Which contents of files the model of a running task knows, and what somebody else has made of them since.
 *
 * What a result shows or writes is stored in the commit of that result, so a resumed task knows what it knew. A file that
 * has another content before a request is announced to the model once; an edit of it holds to what the model knows. After
 * a call that may have changed files, and a second after the last look, all are looked at; between quick requests those
 * that the model has been shown last, so that a turn does not cost more the more files a task has seen. Another file that
 * somebody else changes within that second is announced before the first request after it.
 */
import { type History, type Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { KnownLines, SeenFile, type Tool } from "@belay/tool-executor"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import type { Journal } from "./Journal.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask, type StoreFailure } from "./ActiveTask.ts"

/** Files that are looked at before a request, at most: those that were read, written or told of last. */
const newest = 500

/** The same of requests that follow each other within `again` ms. */
const lately = 16
const again = 1000

interface Known {
  /** What the model has read or written last; nothing when it was only told. */
  readonly seen: string | undefined
  /** What it knows of the lines of that, as `KnownLines` has it. */
  readonly lines?: string | undefined
  /** What it has seen or was told of last. */
  readonly told: SeenFile.SeenFile
}

/** By resolved path, the newest last. Only this module changes it. */
export type KnownFiles = ReadonlyMap<string, Known>

const own = ({ conversation }: ActiveTask): Map<string, Known> => conversation.files as Map<string, Known>

const put = (running: ActiveTask, file: string, known: Known): void => {
  own(running).delete(file)
  own(running).set(file, known)
}

const looked = ({ conversation }: ActiveTask, at: number | undefined): void => {
  Object.assign(conversation, { filesLookedAt: at })
}

/** A call may have changed any file. */
export const doubt = (running: ActiveTask): void => looked(running, undefined)

/** Brings back what the log says. */
export const recall = (running: ActiveTask, files: ReadonlyArray<History.KnownFile>): void => {
  doubt(running)
  own(running).clear()
  for (const { lines, path: file, seen, told } of files) {
    put(running, file, { seen, lines, told: { path: file, hash: told } })
  }
}

/** The content that the model knows of a file. */
export const known = (running: ActiveTask, file: string): KnownLines.Content | undefined => {
  const { lines, seen } = running.conversation.files.get(file) ?? {}
  return seen === undefined ? undefined : { hash: seen, ...(lines === undefined ? {} : { lines }) }
}

type Files = NonNullable<Tool.ToolOutput["files"]>

/**
 * Each list of files with what the model knows of their lines once it has been shown them, one list after the other; on
 * top of what it knows now.
 */
export const learnt = (running: ActiveTask, lists: ReadonlyArray<Files>): ReadonlyArray<Files> => {
  const newest = new Map<string, KnownLines.Content>()
  return lists.map((files) =>
    files.map((file) => {
      const lines = KnownLines.merged(newest.get(file.path) ?? known(running, file.path), file)
      const now = lines === undefined ? file : { ...file, lines }
      newest.set(file.path, now)
      return now
    })
  )
}

/** What the model knows by what is stored now. */
export const saw = (running: ActiveTask, files: Files): void => {
  for (const file of files) put(running, file.path, { seen: file.hash, lines: file.lines, told: file })
}

/** As it is stored. */
export const stored = (files: ReadonlyArray<SeenFile.SeenFile>): ReadonlyArray<Step.FileContent> =>
  files.map(({ hash, lines, path: file }) => ({ path: file, hash, ...(lines === undefined ? {} : { lines }) }))

const nameIn = (workspace: string, { hash, path: file }: SeenFile.SeenFile): string => {
  const inside = path.relative(workspace, file)
  const name = inside.startsWith("..") || path.isAbsolute(inside) ? file : inside.replaceAll(path.sep, "/")
  return hash === "absent" ? `${name} (deleted)` : name
}

/** The files to look at before a request that is made now. */
const due = (running: ActiveTask, now: number): ReadonlyArray<readonly [string, Known]> => {
  const { files, filesLookedAt } = running.conversation
  const since = filesLookedAt === undefined ? again : Math.abs(now - filesLookedAt)
  if (since >= again) looked(running, now)
  return [...files].slice(since >= again ? -newest : -lately)
}

/** Tells the model, in one commit, of the files that have changed; nothing when none has. */
export const review: (journal: Journal["Service"], running: ActiveTask) => Effect.Effect<void, StoreFailure> =
  Effect.fnUntraced(function* (journal, running) {
    const changed: Array<SeenFile.SeenFile> = []
    for (const [file, known] of due(running, yield* Clock.currentTimeMillis)) {
      const now = SeenFile.look(file, known.told)
      if (now === known.told) continue
      if (now.hash === known.told.hash) own(running).set(file, { ...known, told: now })
      // It knows what stands in the editor and is not saved yet.
      else if ((yield* SeenFile.unsavedHash(file)) !== known.told.hash) changed.push(now)
      yield* Effect.yieldNow
    }
    if (changed.length === 0) return
    const names = changed.map((file) => nameIn(running.workspace, file))
    yield* journal.commit([
      { _tag: "FilesTold", ...fence(running), files: stored(changed) },
      { _tag: "Append", ...fence(running), message: Message.from("engine.files", Prompt.filesChanged(names)) }
    ])
    for (const told of changed)
      put(running, told.path, { seen: undefined, ...running.conversation.files.get(told.path), told })
  })
