/**
 * Copies tasks, repaired, into a new folder, as their own program keeps them. The histories themselves stay as they are.
 *
 * The folder is made whole before it gets its name, so that it is there whole or not at all; what was copied into it before
 * is not copied again. What a repair left out of a file is beside it, in `.rescue`, and the manifest names every file with
 * its sum and what was done to it.
 */
import { ReplaceFile } from "@belay/machine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import type { Folder } from "../Folder.ts"
import * as Copies from "../internal/copies.ts"
import { fieldsOf, listOf, text } from "../internal/fields.ts"
import * as Files from "../internal/files.ts"
import * as Links from "../Links.ts"
import * as SourceTask from "../SourceTask.ts"
import * as Summary from "../Summary.ts"
import type { Looked } from "./Look.ts"
import * as Mend from "./Mend.ts"

/** The copy was not made; nothing of it is there. */
export class CopyError extends Schema.TaggedError<CopyError>()("CopyError", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `nothing was copied (${this.path}): ${this.reason}. Name a folder that does not exist yet.`
  }
}

interface Written {
  readonly file: string
  readonly sha256: string
  readonly from: string
  readonly fromSha256: string | null
  readonly repairs: ReadonlyArray<string>
}

/** Reports the files that were written, and the tasks that were there before. */
export interface Report {
  readonly written: ReadonlyArray<string>
  readonly before: number
  /** Tasks of which nothing can be copied. */
  readonly left: ReadonlyArray<string>
}

const manifest = "manifest.json"

const sumOf = (file: string): string | null => {
  const hash = createHash("sha256")
  return Files.pieces(file, (bytes) => void hash.update(bytes))._tag === "File" ? hash.digest("hex") : null
}

/** What the names of all files of a task in a copy begin with, of one at least. */
const beginningOf = (folder: Folder, id: string): string =>
  folder.layout === "messages"
    ? path.join(targetOf(folder, id), "storage", "message", id) + path.sep
    : path.join(targetOf(folder, id), folder.sources.get(id)?.stem ?? "")

/** The folder of one task in a copy. */
const targetOf = (folder: Folder, id: string): string => {
  const source = folder.sources.get(id)
  if (folder.layout === "messages") return folder.agent
  if (folder.layout === "tasks") return path.join(folder.agent, "tasks", id)
  const inside = path.relative(folder.root, source?.folder ?? folder.root)
  return path.join(folder.agent, folder.layout === "transcripts" ? "projects" : "sessions", inside)
}

/** What a look did not read, as nothing spoke for damage, is read now. */
const linkedOf = (folder: Folder, links: Looked["links"], id: string, now: number): Links.Linked | undefined =>
  links.get(id) ?? Links.resolve([Summary.of(SourceTask.read(folder, id, now, "", "brief"))]).get(id)

const writeTask = (target: string, { folder, links }: Looked, id: string, now: number): ReadonlyArray<Written> => {
  const source = folder?.sources.get(id)
  if (folder === undefined || source === undefined) return []
  const linked = linkedOf(folder, links, id, now)
  if (linked === undefined) return []
  const place = targetOf(folder, id)
  return Mend.files(folder, linked).flatMap(({ content, name, repairs }): ReadonlyArray<Written> => {
    const from = path.join(source.folder, name)
    const to = path.join(target, place, name)
    mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 })
    if (content === undefined) {
      if (!Copies.copy(from, to)) return []
    } else {
      Copies.write(to, content)
      const original = path.join(target, place, ".rescue", `${name}.orig`)
      if (Files.seen(from)._tag === "File") {
        mkdirSync(path.dirname(original), { recursive: true, mode: 0o700 })
        Copies.copy(from, original)
      }
    }
    return [{ file: path.join(place, name), sha256: sumOf(to) ?? "", from, fromSha256: sumOf(from), repairs }]
  })
}

/** The list of tasks that Cline reads, made of what the copies hold. */
const writeLists = (target: string, looked: ReadonlyArray<Looked>, ids: ReadonlySet<string>): void => {
  for (const { folder, links, tasks } of looked) {
    if (folder?.agent !== "cline" || folder.layout !== "tasks") continue
    const items = tasks.flatMap(({ id, ref, title }) => {
      const linked = links.get(id)
      if (!ids.has(ref) || linked === undefined) return []
      const stored = fieldsOf(folder.listed.get(id))
      return [{ id, ts: linked.summary.updatedAt, task: title, tokensIn: 0, tokensOut: 0, totalCost: 0, ...stored }]
    })
    if (items.length === 0) continue
    const file = path.join(target, "cline", "state", "taskHistory.json")
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(items), { mode: 0o600 })
  }
}

const realOf = (folder: string): string => {
  const found = Result.try(() => realpathSync(folder))
  return Result.isSuccess(found) ? found.success : path.join(realOf(path.dirname(folder)), path.basename(folder))
}

const contains = (outer: string, inner: string): boolean => {
  const way = path.relative(outer, inner)
  return way === "" || (!way.startsWith("..") && !path.isAbsolute(way))
}

const before = (target: string): ReadonlyArray<Written> | undefined => {
  const found = Result.try(() => JSON.parse(readFileSync(path.join(target, manifest), "utf8")) as unknown)
  if (Result.isFailure(found) || fieldsOf(found.success)["rescue"] !== 1) return undefined
  return listOf(fieldsOf(found.success)["files"]) as ReadonlyArray<Written>
}

const refOf = (folder: Folder, id: string): string => `${folder.agent}:${id}`

const isAlive = (pid: number): boolean => Result.isSuccess(Result.try(() => process.kill(pid, 0)))

/** What a copy that was killed has left beside its target: the copy that it was to replace stays, all else goes. */
const cleanUp = (target: string): void => {
  const folder = path.dirname(target)
  const names = Result.try(() => readdirSync(folder))
  for (const name of Result.isSuccess(names) ? names.success : []) {
    const rest = name.startsWith(`${path.basename(target)}.`) ? name.slice(path.basename(target).length) : ""
    const [, pid, kind] = /^\.(\d+)\.(tmp|old)$/u.exec(rest) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    const left = path.join(folder, name)
    if (kind === "old" && !existsSync(target)) ReplaceFile.rename(left, target)
    else rmSync(left, { recursive: true, force: true, maxRetries: 5 })
  }
}

const make = (target: string, looked: ReadonlyArray<Looked>, refs: ReadonlySet<string>, now: number): Report => {
  const known = existsSync(target) ? (before(target) ?? []) : []
  const staged = `${target}.${process.pid}.tmp`
  rmSync(staged, { recursive: true, force: true })
  try {
    if (known.length > 0) cpSync(target, staged, { recursive: true })
    else mkdirSync(staged, { recursive: true, mode: 0o700 })
    const have = new Set(known.map(({ file }) => text(file) ?? ""))
    const files: Array<Written> = [...known]
    const left: Array<string> = []
    let there = 0
    for (const one of looked) {
      const { folder } = one
      if (folder === undefined) continue
      for (const id of folder.tasks.filter((name) => refs.has(refOf(folder, name)))) {
        const place = beginningOf(folder, id)
        if ([...have].some((file) => file.startsWith(place))) {
          there++
          continue
        }
        const written = writeTask(staged, one, id, now)
        if (written.length === 0) left.push(refOf(folder, id))
        files.push(...written)
      }
    }
    if (files.length === known.length) return { written: [], before: there, left }
    writeLists(staged, looked, refs)
    writeFileSync(path.join(staged, manifest), `${JSON.stringify({ rescue: 1, files }, undefined, 2)}\n`, {
      mode: 0o600
    })
    if (known.length > 0) ReplaceFile.rename(target, `${target}.${process.pid}.old`)
    ReplaceFile.rename(staged, target)
    rmSync(`${target}.${process.pid}.old`, { recursive: true, force: true })
    return { written: files.slice(known.length).map(({ file }) => path.join(target, file)), before: there, left }
  } finally {
    rmSync(staged, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Copies tasks by their refs. A target that is there is refused unless it is a copy that was made before. */
export const run = (
  named: string,
  looked: ReadonlyArray<Looked>,
  refs: ReadonlySet<string>
): Effect.Effect<Report, CopyError> =>
  Effect.gen(function* () {
    const target = path.resolve(named)
    const real = realOf(target)
    for (const { place } of looked) {
      const history = place.kind === "messages" ? place.path : path.dirname(place.path)
      if (contains(realOf(history), real) || contains(real, realOf(place.path))) {
        return yield* new CopyError({
          path: target,
          reason: `it lies in or around a history that was found (${place.path})`
        })
      }
    }
    cleanUp(target)
    if (existsSync(target) && before(target) === undefined) {
      return yield* new CopyError({ path: target, reason: "it exists" })
    }
    const now = yield* Clock.currentTimeMillis
    const done = Result.try(() => make(target, looked, refs, now))
    if (Result.isSuccess(done)) return done.success
    const reason = done.failure instanceof Error ? done.failure.message : String(done.failure)
    return yield* new CopyError({ path: target, reason })
  })
