/**
 * What the model is given beside the words of a message: rules and skills of the folder, the text of a command, and what
 * the words mention, in one message before the next request.
 *
 * A mention is read by the tools and under the policy by which the model would read it: what would ask is not read, and
 * the model is told so. Rules are given once, those of a folder below when something there was touched, and again after
 * condensing has left them out. Whether it was given is seen in the log alone.
 */
import type { Step } from "@belay/history-store"
import { Message, ContextMessage } from "@belay/message-state"
import { EditorContext, GitContext, Mention, ProjectContext, SlashCommand } from "@belay/prompt-context"
import { Tool, ToolExecutor } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import * as Agents from "./Agents.ts"
import * as FileContext from "../active/FileContext.ts"
import * as FolderRules from "./FolderRules.ts"
import * as EngineTools from "../tools/EngineTools.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import { ToolCallLifecycle } from "../calls/ToolCallLifecycle.ts"

/** The steps that give it; none when there is nothing to give. */
export class MessageContext extends Context.Service<
  MessageContext,
  { readonly steps: (running: ActiveTask) => Effect.Effect<ReadonlyArray<Step.Step>> }
>()("@belay/task-engine/MessageContext") {
  static readonly layer = Layer.effect(
    MessageContext,
    Effect.gen(function* () {
      const parts: Parts = {
        settling: yield* ToolCallLifecycle,
        executor: yield* ToolExecutor,
        editor: yield* EditorContext.EditorContext,
        folder: yield* ProjectContext.ProjectContext
      }

      return MessageContext.of({
        steps: Effect.fn("MessageContext.steps")(function* (running) {
          const { messages } = running.conversation
          // What a stand-in follows was read before.
          const read = messages.findLastIndex((message) => message.role === "assistant" || Prompt.isStandIn(message))
          const fresh = messages.slice(read + 1)
          const isNew = !fresh.some(ContextMessage.isGiven)
          const words = isNew ? UserIntent.words(messages, read + 1) : []
          const needsRules = isNew && !ContextMessage.hasRules(messages)
          const mentions = words.flatMap(Mention.parse)
          const below = isNew ? yield* FolderRules.blocks(running, parts.folder, mayRead(parts, running)) : []
          const isAsked = mentions.length > 0 || words.some((said) => SlashCommand.parse(said) !== undefined)
          if (!needsRules && !isAsked && below.length === 0) return []
          const content =
            needsRules || isAsked ? yield* parts.folder.content(running.workspace) : ProjectContext.nothing
          const outputs = yield* Effect.forEach(mentions, (mention) => look(parts, running, mention))
          const looked = mentions.map((mention, at) => shown(mention, outputs[at] ?? { content: [] }))
          const files = FileContext.learnt(
            running,
            outputs.map(({ files = [] }) => files)
          ).flat()
          const blocks = [
            ...(needsRules ? project(content) : []),
            ...words.flatMap((said) => commands(said, content)),
            ...looked.flat(),
            ...below
          ]
          if (blocks.length === 0) return []
          const append = {
            _tag: "Append",
            ...fence(running),
            message: ContextMessage.message(blocks)
          } satisfies Step.Step
          return files.length === 0
            ? [append]
            : [{ _tag: "FilesShown", ...fence(running), files: FileContext.stored(files) } satisfies Step.Step, append]
        })
      })
    })
  )
}

interface Parts {
  readonly settling: ToolCallLifecycle["Service"]
  readonly executor: ToolExecutor["Service"]
  readonly editor: (typeof EditorContext.EditorContext)["Service"]
  readonly folder: (typeof ProjectContext.ProjectContext)["Service"]
}

type Content = Tool.ToolOutput["content"]

/** The rules and the names of skills and agents; empty when there are none. */
const project = ({ agents, rules, skills }: ProjectContext.Content): ReadonlyArray<Message.TextBlock> => [
  ...rules.map(({ source, text }) => ContextMessage.element("rules", source, text)),
  ...(skills.length === 0
    ? []
    : [
        ContextMessage.element(
          "skills",
          "load_skill",
          skills.map(({ description, name }) => `${name}: ${description}`).join("\n")
        )
      ]),
  ...Agents.listed(agents)
]

type PathMention = Extract<Mention.Mention, { kind: "path" }>

/** The folder of a root, by its name; the task's own without one. */
const rootOf = (
  workspace: string,
  name: string | undefined,
  roots: ReadonlyArray<EditorContext.Root>
): string | undefined => {
  if (name === undefined) return workspace
  const found = roots.find((root) => root.name === name)?.path
  return found ?? (name === path.basename(workspace) ? workspace : undefined)
}

const noRoot = (name: string, workspace: string, roots: ReadonlyArray<EditorContext.Root>): string => {
  const names = roots.length === 0 ? [path.basename(workspace)] : roots.map((root) => root.name)
  return `Not read: no folder here is called ${name}. There is: ${names.join(", ")}.`
}

/** Where git is not asked, the model is told why. */
const unlessRefused = <E extends { readonly message: string }>(told: Effect.Effect<Tool.ToolOutput, E>) =>
  Effect.catch(told, ({ message }) => Effect.succeed(Tool.failure(`Not read: ${message}`)))

const prepare = ({ executor, settling }: Parts, running: ActiveTask, name: string, input: object) =>
  executor.prepare({ callId: "mention", name, input }, settling.contextOf(running))

/** A call that is made for a mention; it never asks. */
const call = (parts: Parts, running: ActiveTask, name: string, input: object): Effect.Effect<Tool.ToolOutput> =>
  Effect.flatMap(prepare(parts, running, name, input), (prepared) => {
    if (prepared._tag === "Refused") return Effect.succeed(prepared.output)
    if (prepared.decision.decision === "allow") return parts.executor.run(prepared, parts.settling.contextOf(running))
    return Effect.succeed(
      Tool.failure(`Not read: ${prepared.decision.reason} Call ${name} if you need it; the user is asked then.`)
    )
  })

const mayRead = (parts: Parts, running: ActiveTask) => (file: string) =>
  Effect.map(
    prepare(parts, running, "read_file", { path: file }),
    (prepared) => prepared._tag === "Ready" && prepared.decision.decision === "allow"
  )

/** A path that leads into another root is absolute, and judged as any that leads out of the workspace. */
const file = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask, mention: PathMention) {
  const { workspace } = running
  const roots = mention.root === undefined ? [] : yield* parts.editor.roots(workspace)
  const root = rootOf(workspace, mention.root, roots)
  if (root === undefined) return Tool.failure(noRoot(mention.root ?? "", workspace, roots))
  if (root === workspace) return yield* read(parts, running, mention.path === "" ? "." : mention.path, mention.lines)
  const at = path.join(root, mention.path)
  const found = yield* read(parts, running, at, mention.lines)
  return { ...found, content: [Message.text(`[This is ${at}]`), ...found.content] }
})

const read = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask, at: string, lines: PathMention["lines"]) {
  const folder = call(parts, running, "list_files", { path: at })
  if (at === "." || at.endsWith("/")) return yield* folder
  const range = lines === undefined ? {} : { start_line: lines[0], end_line: lines[1] }
  const read = yield* call(parts, running, "read_file", { path: at, ...range })
  if (!read.isError) return read
  const listed = yield* folder
  return listed.isError ? read : listed
})

const known = (text: string | undefined, none: string): Tool.ToolOutput =>
  text === undefined ? Tool.failure("This is not known here.") : Tool.output(text.trim() === "" ? none : text)

const look = (parts: Parts, running: ActiveTask, mention: Mention.Mention): Effect.Effect<Tool.ToolOutput> => {
  const { workspace } = running
  switch (mention.kind) {
    case "path":
      return file(parts, running, mention)
    case "url":
      return call(parts, running, "fetch_url", { url: mention.url })
    case "problems":
      return Effect.map(parts.editor.problems(workspace), (text) => known(text, "No problems."))
    case "terminal":
      return Effect.map(parts.editor.terminal(workspace), (text) => known(text, "Nothing was printed."))
    case "git-changes":
      return unlessRefused(
        Effect.map(GitContext.changes(workspace, mayRead(parts, running)), (text) => known(text, "No changes."))
      )
    case "commit":
      return unlessRefused(
        Effect.map(GitContext.commit(workspace, mention.hash, mayRead(parts, running)), (text) =>
          text === undefined ? Tool.failure("There is no such commit.") : Tool.output(text)
        )
      )
  }
}

const shown = (mention: Mention.Mention, { content }: Pick<Tool.ToolOutput, "content">): Content => {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  const images = content.filter((block) => block.type === "image")
  return [ContextMessage.element("mention", mention.text, text === "" ? "(an image)" : text), ...images]
}

const commands = (words: string, { commands, skills }: ProjectContext.Content): ReadonlyArray<Message.TextBlock> => {
  const asked = SlashCommand.parse(words)
  if (asked === undefined) return []
  if (SlashCommand.known(words) !== undefined) {
    const meant = Prompt.command(asked.name, asked.rest)
    return meant === undefined ? [] : [ContextMessage.element("command", asked.name, meant)]
  }
  const own = commands.find(({ name }) => name === asked.name)
  if (own !== undefined) return [ContextMessage.element("command", asked.name, SlashCommand.expand(own, asked.rest))]
  const skill = skills.find(({ name }) => name === asked.name)
  return skill === undefined ? [] : [ContextMessage.element("skill", skill.name, EngineTools.skillText(skill))]
}
