/**
 * What an approval is asked for, as it would happen: a command with its folder, a change as a diff, a new file as its text.
 *
 * Whatever a model wrote is printable and never begins in the first column.
 */
import type { Decision } from "@belay/approval-policy"
import { CommandText } from "@belay/approval-policy"
import type { Ask } from "@belay/task-engine"
import { AskText, Copy, McpCall, Transcript, Words } from "@belay/interaction"
import type { Proposal } from "@belay/tool-executor"
import { LineDiff } from "@belay/tool-executor/workspace"
import * as path from "node:path"
import type { Appearance } from "../output/Appearance.ts"
import * as DiffText from "../output/DiffText.ts"
import { broken } from "../output/Wrapped.ts"

export interface Approval {
  /** What is asked, as a question. */
  readonly question: string
  /** All of what would happen, whole. */
  readonly body: ReadonlyArray<DiffText.Line>
  /** What else there is to know. */
  readonly facts: ReadonlyArray<string>
}

const questionOf = (ask: Ask, proposals: ReadonlyArray<Proposal.Proposal>): string => {
  const [first] = proposals
  if (proposals.length > 1) return `Allow these changes to ${proposals.length} files?`
  if (first !== undefined) {
    const name = Words.printable(first.summary.path)
    if (first.summary.deletes === true) return `Allow the deletion of ${name}?`
    return first.summary.exists ? `Allow this change to ${name}?` : `Allow the new file ${name}?`
  }
  const { args, tool } = AskText.callOf(ask.question ?? "")
  if (ask.kind === "mistakes") return "Allow this once more?"
  if (tool === "execute_command") return "Allow this command?"
  return McpCall.of(args) === undefined ? "Allow this?" : "Allow this use of a server?"
}

const changeOf = ({ contents, summary }: Proposal.Proposal): ReadonlyArray<DiffText.Line> => {
  const head = { text: Transcript.editLine(summary), look: "head" } as const
  if (contents === undefined) return [head]
  const { base, proposed } = contents
  if (base === undefined) {
    return [head, ...DiffText.plain(proposed).map(({ text }) => ({ text: `+${text}`, look: "come" }) as const)]
  }
  // Its first two lines say what the head does.
  return [head, ...DiffText.lines(LineDiff.unified(summary.path, base, proposed)).slice(2)]
}

const printed = (text: string): ReadonlyArray<DiffText.Line> =>
  text.split("\n").map((line) => ({ text: Words.printable(line) }))

/** `workspace`: where the task works. */
export const of = (ask: Ask, proposals: ReadonlyArray<Proposal.Proposal>, workspace: string): Approval => {
  const { edits = [], kind, question: asked = "", reason, rule } = ask
  const { args, tool } = AskText.callOf(asked)
  const resolved = ask.resolved as Decision.Resolved | undefined
  const command = tool === "execute_command" ? CommandText.ofArguments(args) : undefined
  const mcp = McpCall.of(args)
  const body =
    command !== undefined
      ? printed(command).map(({ text }, index) => ({ text: `${index === 0 ? "$" : " "} ${text}` }))
      : proposals.length > 0
        ? proposals.flatMap(changeOf)
        : mcp !== undefined
          ? printed(`Use ${McpCall.title(mcp)}${mcp.args === undefined ? "" : `\n${mcp.args}`}`)
          : printed(asked)
  const folder = path.resolve(workspace, AskText.argument(args, "cwd") ?? ".")
  const facts = [
    ...(command === undefined ? [] : [`in ${folder}`]),
    ...(proposals.length > 0 ? [] : edits.map(Transcript.editLine)),
    ...(proposals.length > 0 ? [] : (resolved?.writes ?? []).map((file) => `writes ${file}`)),
    ...(proposals.length > 0 || command !== undefined ? [] : (resolved?.paths ?? [])),
    ...(reason === undefined ? [] : [Copy.askWhy({ reason, rule: rule ?? kind })]),
    ...(resolved?.sandbox === undefined ? [] : [Copy.askSandbox(resolved.sandbox)])
  ]
  return { question: questionOf(ask, proposals), body, facts: facts.map(Words.printable) }
}

/** Rows that no screen needs for what is around them. */
const around = 14
const fewest = 8

/**
 * Indented rows, each line broken where a row ends and nowhere else, so that what is read is what was asked. A long text has
 * its beginning and its end, and says how many rows are between them.
 */
export const shown = (
  { body }: Pick<Approval, "body">,
  look: Appearance,
  size: { readonly columns: number; readonly rows: number }
): { readonly rows: ReadonlyArray<string>; readonly isCut: boolean } => {
  const columns = Math.max(10, size.columns - 3)
  const all = body.flatMap((line) =>
    broken(line.text, columns).map((text) => `  ${DiffText.coloured(look, { ...line, text })}`)
  )
  const room = Math.max(fewest, size.rows - around)
  if (all.length <= room) return { rows: all, isCut: false }
  const head = Math.ceil((room * 2) / 3)
  const tail = room - head - 1
  const cut = `  … ${all.length - head - tail} more lines: v shows all`
  return { rows: [...all.slice(0, head), cut, ...all.slice(-tail)], isCut: true }
}
