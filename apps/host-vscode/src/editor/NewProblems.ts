/**
 * What an edit has broken, as the editor sees it: problems that are marked after the edit and were not marked before it,
 * behind the result that the model reads.
 *
 * The editor needs a while to look at a file; it is waited for as long as it speaks, and for a moment where it says
 * nothing. Of languages that nobody looks at here nothing is waited for. An edit that failed is not looked at.
 */
import { Words } from "@belay/interaction"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as path from "node:path"
import * as vscode from "vscode"
import { scoped } from "../vscode/Bridge.ts"
import * as FilePath from "../vscode/FilePath.ts"

/** Lines that the model is told, and the length of each. */
const most = 20
const longest = 400

/** Files that are opened to be looked at. */
const mostOpened = 5

/** Milliseconds: until the editor says something, between two things that it says, and in all. */
const patience = { first: "1 second", next: "300 millis", all: "5 seconds" } as const

/** So often in a row nothing was said of a language: nobody looks at its files. */
const deaf = 2

const severities = ["error", "warning"] as const

interface Problem {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly severity: (typeof severities)[number]
  readonly message: string
}

/** How much is told; nothing where nothing is. */
const level = (): number | undefined => {
  const told = vscode.workspace.getConfiguration("belay").get("edits.problems")
  return told === "errors" ? 1 : told === "warnings" ? 2 : undefined
}

const marked = (workspace: string, most: number): ReadonlyArray<Problem> =>
  vscode.languages.getDiagnostics().flatMap(([uri, diagnostics]) => {
    const file = uri.scheme === "file" ? path.relative(workspace, FilePath.of(uri)) : ".."
    if (file.startsWith("..") || path.isAbsolute(file)) return []
    return diagnostics.flatMap(({ message, range, severity: level }) => {
      const severity = severities.slice(0, most)[level]
      return severity === undefined
        ? []
        : [{ file: file.replaceAll("\\", "/"), line: range.start.line + 1, severity, message }]
    })
  })

/** The same problem at another line is no new one. */
const nameOf = ({ file, message, severity }: Problem): string => `${severity} ${file} ${message}`

const added = (before: ReadonlyArray<Problem>, after: ReadonlyArray<Problem>): ReadonlyArray<Problem> => {
  const known = new Map<string, number>()
  for (const one of before) known.set(nameOf(one), (known.get(nameOf(one)) ?? 0) + 1)
  return after.filter((one) => {
    const left = known.get(nameOf(one)) ?? 0
    known.set(nameOf(one), left - 1)
    return left <= 0
  })
}

/** Those of the edited files first, errors before warnings. */
const textOf = (problems: ReadonlyArray<Problem>, edited: ReadonlySet<string>): string => {
  const rank = ({ file, severity }: Problem): number => (edited.has(file) ? 0 : 2) + severities.indexOf(severity)
  const lines = problems
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ file, line, message, severity }) =>
      Words.printable(`${file}:${line} ${severity}: ${message.replaceAll(/\s+/gu, " ").trim()}`).slice(0, longest)
    )
  const left = lines.length - most
  const shown = [...lines.slice(0, most), ...(left > 0 ? [`(${left} more)`] : [])]
  return `\nThe editor marks since this edit:\n${shown.join("\n")}`
}

/** So that somebody looks at it. */
const open = (file: string) =>
  Effect.ignore(Effect.tryPromise(async () => vscode.workspace.openTextDocument(vscode.Uri.file(file))))

/** The tools, of which those that edit tell what they have broken. */
export const telling = (tools: ReadonlyArray<Tool.Tool>): ReadonlyArray<Tool.Tool> => {
  /** By the ending of a name: how often in a row nothing was said. */
  const unheard = new Map<string, number>()

  const heard = (changes: Queue.Dequeue<void>, kinds: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      if (kinds.every((kind) => (unheard.get(kind) ?? 0) >= deaf)) return
      const first = yield* Effect.timeoutOption(Queue.take(changes), patience.first)
      for (const kind of kinds) unheard.set(kind, Option.isSome(first) ? 0 : (unheard.get(kind) ?? 0) + 1)
      for (let more = Option.isSome(first); more;) {
        more = Option.isSome(yield* Effect.timeoutOption(Queue.take(changes), patience.next))
      }
    }).pipe(Effect.timeoutOption(patience.all))

  const watched = (tool: Tool.Tool, args: unknown, context: Tool.ToolContext) =>
    Effect.gen(function* () {
      const most = level()
      if (most === undefined) return yield* tool.execute(args, context)
      const changes = yield* Queue.unbounded<void>()
      yield* scoped(() => vscode.languages.onDidChangeDiagnostics(() => void Queue.offerUnsafe(changes, undefined)))
      const before = marked(context.workspace, most)
      const output = yield* tool.execute(args, context)
      const files = (output.files ?? []).filter(({ hash }) => hash !== "absent").map((file) => file.path)
      if (output.isError || files.length === 0) return output
      yield* Effect.forEach(files.slice(0, mostOpened), open, { discard: true })
      yield* heard(changes, [...new Set(files.map((file) => path.extname(file)))])
      const found = added(before, marked(context.workspace, most))
      if (found.length === 0) return output
      const edited = new Set(files.map((file) => path.relative(context.workspace, file).replaceAll("\\", "/")))
      return { ...output, content: [...output.content, { type: "text" as const, text: textOf(found, edited) }] }
    }).pipe(Effect.scoped)

  return tools.map((tool) =>
    tool.category === "edit" ? { ...tool, execute: (args, context) => watched(tool, args, context) } : tool
  )
}
