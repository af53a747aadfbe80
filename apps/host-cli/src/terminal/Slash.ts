/**
 * What people type with a slash, whatever they type it to: `/help` shows the commands and is said to nobody, and a command
 * that nobody knows is sent as text, which one line says.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import { ProjectContext, SlashCommand } from "@belay/prompt-context"
import { Words } from "@belay/interaction"
import * as Trust from "@belay/settings/trust"
import * as Effect from "effect/Effect"
import { type Parsed, suggestion, text } from "../cli/Arguments.ts"
import * as FolderFiles from "./FolderFiles.ts"
import * as Help from "../cli/Help.ts"
import type { Sink } from "../output/Sink.ts"

type Command = Pick<SlashCommand.Command, "name" | "description">

/** Belay's own, then those of the folder, if it is trusted, and of the user, with skills; of two of one name the first. */
export const commandsIn = (workspace: string): Effect.Effect<ReadonlyArray<Command>> => {
  const home = DataFolder.directory()
  const context = ProjectContext.make({
    home,
    isTrusted: (folder) => Trust.isTrusted(home, folder),
    isSecret: Trust.isSecret
  })
  return Effect.map(context.content(workspace), ({ commands, skills }) =>
    SlashCommand.completions("", [...commands, ...skills]).map(({ detail, label }) => ({
      name: label.slice(1),
      description: detail
    }))
  )
}

const helpText = (commands: ReadonlyArray<Command>, files: FolderFiles.FolderFiles): string => {
  const rows = Help.table(commands.map(({ description, name }) => [`/${name}`, description] as const))
  const sections = [
    ["Commands, at the beginning of what you say", ...rows],
    FolderFiles.found(files),
    FolderFiles.leftOut(files)
  ]
  const shown = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((row) => row.trimEnd()).join("\n"))
  return `${shown.join("\n\n")}\n`
}

const unknownText = (name: string, commands: ReadonlyArray<Command>): string => {
  const close = suggestion(
    name,
    commands.map((known) => known.name)
  )
  const meant = close === undefined ? "" : ` Did you mean /${close}?`
  return `No command "/${Words.printable(name)}": sent as text.${meant}\n`
}

interface Shown {
  readonly help: (commands: ReadonlyArray<Command>, files: FolderFiles.FolderFiles) => void
  /** A line. */
  readonly unknown: (text: string) => void
}

/** Shows what is to be shown of the words; true when they were for that alone. */
const looked = (words: string, workspace: string, shown: Shown): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const typed = SlashCommand.parse(words)
    if (typed === undefined) return false
    const commands = yield* commandsIn(workspace)
    if (typed.name === "help") {
      shown.help(commands, yield* FolderFiles.of(workspace))
      return true
    }
    if (commands.every(({ name }) => name !== typed.name)) shown.unknown(unknownText(typed.name, commands))
    return false
  })

/** All commands of a folder, and what of its files counts, as text. */
export const helpOf = (workspace: string): Effect.Effect<string> =>
  Effect.flatMap(commandsIn(workspace), (commands) =>
    Effect.map(FolderFiles.of(workspace), (files) => helpText(commands, files))
  )

/** To a task that runs here: on stderr, beside what it asks. */
export const toTask = (words: string, workspace: string, sink: Sink): Effect.Effect<boolean> =>
  looked(words, workspace, { help: (commands, files) => sink.err(helpText(commands, files)), unknown: sink.err })

/** As an argument: help is the output of the command, in its form. */
export const asArgument = (
  words: string | undefined,
  workspace: string,
  parsed: Parsed,
  sink: Sink
): Effect.Effect<boolean> => {
  const output = text(parsed, "output") ?? "text"
  return looked(words ?? "", workspace, {
    help: (commands, files) =>
      output === "text"
        ? sink.out(helpText(commands, files))
        : sink.data(`${JSON.stringify({ ...(output === "json" ? {} : { type: "commands" }), commands, ...files })}\n`),
    unknown: sink.err
  })
}
