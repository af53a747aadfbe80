/** Files as what they are for a task: rules, skills, commands and agents; and why some are none of them. */
import * as path from "node:path"
import type { Agent, Content, Rule, Skill } from "../ProjectContext.ts"
import type { OwnCommand } from "../SlashCommand.ts"
import type { File, LeftOut } from "./files.ts"
import { type Fields, frontMatter, listOf, textOf } from "./frontMatter.ts"
import { meaningOf } from "./instructions.ts"

export interface Groups {
  readonly rules: ReadonlyArray<File>
  readonly skills: ReadonlyArray<File>
  readonly commands: ReadonlyArray<File>
  readonly agents: ReadonlyArray<File>
}

/** Names a kind of content that a folder can have. */
export type Kind = "rules" | "skill" | "command" | "agent"

/** A file that counts, and what it is to be called. */
export interface Counting {
  readonly name: string
  readonly kind: Kind
}

export interface Sorted {
  readonly content: Content
  readonly counting: ReadonlyArray<Counting>
  readonly leftOut: ReadonlyArray<LeftOut>
}

const wholeName = /^[\w.-]+$/u
const commandName = /^[A-Za-z][\w-]*$/u

const skillOf = (root: string, file: File): Skill => {
  const { fields, text } = frontMatter(file.text)
  const folder = path.posix.dirname(file.name)
  return {
    name: textOf(fields["name"]) || path.posix.basename(folder),
    description: textOf(fields["description"]),
    folder: path.resolve(root, folder),
    text: text.trim()
  }
}

const commandOf = (file: File): OwnCommand => {
  const { fields, text } = frontMatter(file.text)
  return {
    name: path.posix.basename(file.name, ".md"),
    description: [textOf(fields["description"]), textOf(fields["argument-hint"])]
      .filter((part) => part !== "")
      .join(" "),
    text: text.trim()
  }
}

const agentOf = (file: File): Agent => {
  const { fields, text } = frontMatter(file.text)
  const { tools } = fields
  const model = textOf(fields["model"])
  return {
    name: textOf(fields["name"]) || path.posix.basename(file.name, ".md"),
    description: textOf(fields["description"]),
    text: text.trim(),
    ...(tools === undefined || tools === "*" ? {} : { tools: listOf(tools) ?? [] }),
    ...(model === "" || model === "inherit" ? {} : { model })
  }
}

/** Why an agent is none: what restricts it is never left out. */
const whyNoAgent = ({ disallowedTools, tools }: Fields): string | undefined => {
  if (disallowedTools !== undefined && disallowedTools !== null && disallowedTools !== "") {
    return "no tools can be taken from it here; name in tools those that it has"
  }
  if (tools === undefined || listOf(tools) !== undefined) return undefined
  return "tools does not name its tools; leave it out for all of them"
}

/** Each file as what it is in a workspace, or in the data folder; of two of one name the first counts. */
export const sorted = (root: string, groups: Groups): Sorted => {
  const leftOut: Array<LeftOut> = []
  const counting: Array<Counting> = []
  const rules: Array<Rule> = []
  const skills = new Map<string, Skill>()
  const commands = new Map<string, OwnCommand>()
  const agents = new Map<string, Agent>()

  const put = <A extends { readonly name: string }>(
    file: File,
    kind: Kind,
    one: A,
    known: Map<string, A>,
    form: RegExp
  ): void => {
    if (!form.test(one.name)) leftOut.push({ name: file.name, why: `"${one.name}" cannot be its name` })
    else if (known.has(one.name)) leftOut.push({ name: file.name, why: `another ${kind} has the name ${one.name}` })
    else {
      known.set(one.name, one)
      counting.push({ name: file.name, kind })
    }
  }

  const says = new Map<string, string>()
  const rule = (file: File, text: string): void => {
    const same = says.get(text)
    if (text === "") leftOut.push({ name: file.name, why: "it is empty" })
    else if (same !== undefined) leftOut.push({ name: file.name, why: `it says the same as ${same}` })
    else {
      says.set(text, file.name)
      rules.push({ source: file.name, text })
      counting.push({ name: file.name, kind: "rules" })
    }
  }

  /** With fields that can be read. */
  const readable = (files: ReadonlyArray<File>): ReadonlyArray<File> =>
    files.filter((file) => {
      const { broken } = frontMatter(file.text)
      if (broken !== undefined) leftOut.push({ name: file.name, why: broken })
      return broken === undefined
    })

  for (const file of readable(groups.skills)) put(file, "skill", skillOf(root, file), skills, wholeName)
  for (const file of groups.rules) {
    const meaning = meaningOf(file)
    if (meaning._tag === "Rule") rule(file, meaning.text)
    else if (meaning._tag === "LeftOut") leftOut.push({ name: file.name, why: meaning.why })
    else {
      const { description, name, text } = meaning
      const folder = path.resolve(root, path.posix.dirname(file.name))
      put(file, "skill", { name, description, text, folder }, skills, wholeName)
    }
  }
  for (const file of readable(groups.commands)) put(file, "command", commandOf(file), commands, commandName)
  for (const file of readable(groups.agents)) {
    const why = whyNoAgent(frontMatter(file.text).fields)
    if (why === undefined) put(file, "agent", agentOf(file), agents, wholeName)
    else leftOut.push({ name: file.name, why })
  }
  return {
    content: {
      rules,
      skills: [...skills.values()],
      commands: [...commands.values()],
      agents: [...agents.values()]
    },
    counting,
    leftOut
  }
}
