/**
 * What a folder tells every task that works in it: rules, skills, commands and agents, from files that people keep beside
 * it, those of other coding agents among them.
 *
 * Rules are `AGENTS.md`, `.belay/rules/*.md`, `.clinerules`, `.roo/rules`, then `CLAUDE.md` and `GEMINI.md` with what they
 * import, `.claude/rules`, `.cursor/rules`, `.cursorrules`, `.github/copilot-instructions.md` and `.windsurfrules`: all of
 * the nearest folder first, up to the root of the repository. Skills are `NAME/SKILL.md` in `.belay/skills`,
 * `.agents/skills` and `.claude/skills`: a model sees name and description, and loads the text when it needs it. Commands
 * are `.belay/commands/NAME.md` and those of `.claude/commands`, agents `.claude/agents/NAME.md`. Nothing of a folder
 * counts unless it is trusted, and trust is bound to its content, with that of what it imports; links are never followed.
 * What a user keeps in the data folder, as `rules`, `skills`, `commands` and `agents`, counts always and comes last.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Files from "./internal/files.ts"
import type { IsSecret } from "./internal/imports.ts"
import * as Instructions from "./internal/instructions.ts"
import { type Counting, type Kind, sorted } from "./internal/sorting.ts"
import * as NestedRules from "./NestedRules.ts"
import type { OwnCommand } from "./SlashCommand.ts"

/** One text of rules, as the model is given it. */
export interface Rule {
  /** Where it stands: relative to the workspace, or absolute. */
  readonly source: string
  readonly text: string
}

/** A rule for what lies below a folder. */
export interface FolderRule extends Rule {
  readonly folder: string
}

/** One skill. The model reads `text` when it uses the skill. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** Its folder, absolute: what its text refers to stands there. */
  readonly folder: string
  readonly text: string
}

/** A preset of subtasks. */
export interface Agent {
  readonly name: string
  /** When it is of use. */
  readonly description: string
  /** What is said to a subtask before its own words. */
  readonly text: string
  /** The tools that it may use, as the file names them; all without. */
  readonly tools?: ReadonlyArray<string>
  /** As the file names it; that of the parent without. */
  readonly model?: string
}

/** Of two of one name the first counts. */
export interface Content {
  readonly rules: ReadonlyArray<Rule>
  readonly skills: ReadonlyArray<Skill>
  readonly commands: ReadonlyArray<OwnCommand>
  readonly agents: ReadonlyArray<Agent>
}

/** The content of a folder that has none. */
export const nothing: Content = { rules: [], skills: [], commands: [], agents: [] }

/** Gives what counts in a workspace now; nothing unless a host provides another one. */
export const ProjectContext = Context.Reference<{
  readonly content: (workspace: string) => Effect.Effect<Content>
  /** Rules of folders below it, for what lies in these folders; relative to it, the nearest first. */
  readonly below: (workspace: string, folders: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FolderRule>>
}>("@belay/prompt-context/ProjectContext", {
  defaultValue: () => ({ content: () => Effect.succeed(nothing), below: () => Effect.succeed([]) })
})

/** Files that are read, at most. */
const mostFiles = 200

const skillFiles = (root: string, folder: string): ReadonlyArray<Files.Seen> => Files.below(root, folder, "/SKILL.md")

/** All that a workspace says, trusted or not; what is more than so many files is no part of it. */
const read = (workspace: string, isSecret: IsSecret) => {
  const found = {
    rules: Instructions.find(workspace, isSecret),
    skills: [".belay/skills", ".agents/skills", ".claude/skills"].flatMap((folder) => skillFiles(workspace, folder)),
    commands: [".belay/commands", ".claude/commands"].flatMap((folder) => Files.below(workspace, folder, ".md")),
    agents: Files.below(workspace, ".claude/agents", ".md")
  }
  const every = Object.values(found).flat()
  const files = every.filter(Files.isFile)
  const all = files.slice(0, mostFiles)
  const counts = (seen: ReadonlyArray<Files.Seen>) => seen.filter(Files.isFile).filter((file) => all.includes(file))
  const groups = {
    rules: counts(found.rules),
    skills: counts(found.skills),
    commands: counts(found.commands),
    agents: counts(found.agents)
  }
  const more = files.slice(mostFiles).map(({ name }) => ({ name, why: `there are more than ${mostFiles} files` }))
  const unread = every.flatMap((seen) => (Files.isFile(seen) ? [] : [seen]))
  return { all, groups, leftOut: [...unread, ...more] }
}

/** Identifies the content of a folder. A person's trust holds for this hash alone. */
export interface Fingerprint {
  readonly files: ReadonlyArray<string>
  /** The very texts that were hashed, in the same order. */
  readonly texts: ReadonlyArray<Files.File>
  readonly hash: string
}

const fingerprintOf = (all: ReadonlyArray<Files.File>): Fingerprint | undefined => {
  if (all.length === 0) return undefined
  const hash = createHash("sha256")
  for (const { name, text } of all) hash.update(JSON.stringify([name, text]))
  return { files: all.map(({ name }) => name), texts: all, hash: hash.digest("hex") }
}

/**
 * The files that a workspace has for its tasks, and a hash of their names and texts; `undefined` without any. What
 * `isSecret` says yes of, by its absolute path, is not imported.
 */
export const fingerprint = (workspace: string, isSecret: IsSecret): Fingerprint | undefined =>
  fingerprintOf(read(workspace, isSecret).all)

/** Describes what of a workspace counts once it is trusted, and what does not, and why. */
export interface Survey {
  readonly counting: ReadonlyArray<Counting>
  readonly leftOut: ReadonlyArray<Files.LeftOut>
}

export type { Counting, Kind }

/** Looks at a workspace for a person; whether it is trusted does not matter. */
export const survey = (workspace: string, isSecret: IsSecret): Survey => {
  const { groups, leftOut } = read(workspace, isSecret)
  const found = sorted(workspace, groups)
  return { counting: found.counting, leftOut: [...leftOut, ...found.leftOut] }
}

/** The user's own, from the data folder. */
const own = (folder: string): Content =>
  sorted(folder, {
    rules: Files.below(folder, "rules", ".md").filter(Files.isFile),
    skills: skillFiles(folder, "skills").filter(Files.isFile),
    commands: Files.below(folder, "commands", ".md").filter(Files.isFile),
    agents: Files.below(folder, "agents", ".md").filter(Files.isFile)
  }).content

/** Configures the layer. Only `trustedBelow` may be left out. */
export interface Options {
  /** The data folder, absolute. */
  readonly home: string
  /** Whether a person trusts a workspace with the content of this hash. */
  readonly isTrusted: (workspace: string, hash: string) => Effect.Effect<boolean>
  /** Whether a file, by its absolute path, may hold secrets; as for `fingerprint`. */
  readonly isSecret: (file: string) => boolean
  /** Of the rules below a workspace, what a person trusts; none unless told. */
  readonly trustedBelow?: (workspace: string) => Effect.Effect<NestedRules.Trusted>
}

/** Reads the files each time. */
export const make = ({
  home,
  isSecret,
  isTrusted,
  trustedBelow = () => Effect.succeed({})
}: Options): (typeof ProjectContext)["Service"] => ({
  content: (workspace) =>
    Effect.gen(function* () {
      const users = own(home)
      // Read once: only what has the hash that was asked about counts.
      const { all, groups } = read(workspace, isSecret)
      const found = fingerprintOf(all)
      if (found === undefined || !(yield* isTrusted(workspace, found.hash))) return users
      const { agents, commands, rules, skills } = sorted(workspace, groups).content
      return {
        rules: [...rules, ...users.rules],
        skills: [...skills, ...users.skills],
        commands: [...commands, ...users.commands],
        agents: [...agents, ...users.agents]
      }
    }),
  below: (workspace, folders) =>
    folders.length === 0
      ? Effect.succeed([])
      : Effect.map(trustedBelow(workspace), (trusted) =>
          NestedRules.counting(workspace, folders, trusted).map(({ folder, name, text }) => ({
            source: name,
            folder,
            text: text.trim()
          }))
        )
})
