/**
 * What a folder tells every task that works in it: rules, skills and commands, from files that people keep beside it.
 *
 * Rules are `AGENTS.md`, the nearest first, up to the root of the repository, `.belay/rules/*.md`, `.clinerules` and
 * `.roo/rules`. Skills are `.belay/skills/NAME/SKILL.md` and `.agents/skills/NAME/SKILL.md`: a model sees name and
 * description, and loads the text when it needs it. Commands are `.belay/commands/NAME.md`. Nothing of a folder counts
 * unless it is trusted, and trust is bound to its content; links are never followed. What a user keeps in the data folder,
 * as `rules`, `skills` and `commands`, counts always and comes last.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as path from "node:path"
import * as Files from "./internal/files.ts"
import { frontMatter } from "./internal/frontMatter.ts"
import * as NestedRules from "./NestedRules.ts"
import type { OwnCommand } from "./SlashCommand.ts"

export interface Rule {
  /** Where it stands: relative to the workspace, or absolute. */
  readonly source: string
  readonly text: string
}

/** A rule for what lies below a folder. */
export interface FolderRule extends Rule {
  readonly folder: string
}

export interface Skill {
  readonly name: string
  readonly description: string
  /** Its folder, absolute: what its text refers to stands there. */
  readonly folder: string
  readonly text: string
}

export interface Content {
  readonly rules: ReadonlyArray<Rule>
  /** Of two of one name the first counts. */
  readonly skills: ReadonlyArray<Skill>
  readonly commands: ReadonlyArray<OwnCommand>
}

export const nothing: Content = { rules: [], skills: [], commands: [] }

/** What counts in a workspace now; nothing unless a host provides another one. */
export const ProjectContext = Context.Reference<{
  readonly content: (workspace: string) => Effect.Effect<Content>
  /** Rules of folders below it, for what lies in these folders; relative to it, the nearest first. */
  readonly below: (workspace: string, folders: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FolderRule>>
}>("@belay/prompt-context/ProjectContext", {
  defaultValue: () => ({ content: () => Effect.succeed(nothing), below: () => Effect.succeed([]) })
})

/** Files that are read, at most, and characters of one. */
const mostFiles = 200

const named = (files: ReadonlyArray<Files.File>): ReadonlyArray<Rule> =>
  files.flatMap(({ name, text }) => (text.trim() === "" ? [] : [{ source: name, text: text.trim() }]))

const rulesOf = (workspace: string): ReadonlyArray<Files.File> => [
  ...Files.upwards(workspace, "AGENTS.md"),
  ...NestedRules.inFolder(workspace, "").filter(({ name }) => name !== "AGENTS.md")
]

const skillFiles = (root: string, folder: string): ReadonlyArray<Files.File> =>
  Files.below(root, folder, "SKILL.md").filter(({ name }) => path.posix.basename(name) === "SKILL.md")

const skillsOf = (root: string, files: ReadonlyArray<Files.File>): ReadonlyArray<Skill> => {
  const skills = new Map<string, Skill>()
  for (const file of files) {
    const { fields, text } = frontMatter(file.text)
    const folder = path.posix.dirname(file.name)
    const name = fields["name"] ?? path.posix.basename(folder)
    if (!/^[\w.-]+$/u.test(name) || skills.has(name)) continue
    skills.set(name, {
      name,
      description: fields["description"] ?? "",
      folder: path.join(root, folder),
      text: text.trim()
    })
  }
  return [...skills.values()]
}

const commandsOf = (files: ReadonlyArray<Files.File>): ReadonlyArray<OwnCommand> =>
  files.flatMap((file) => {
    const name = path.posix.basename(file.name, ".md")
    const { fields, text } = frontMatter(file.text)
    return /^[A-Za-z][\w-]*$/u.test(name) ? [{ name, description: fields["description"] ?? "", text: text.trim() }] : []
  })

/** All that a workspace says, trusted or not; what is more than so many files is no part of it. */
const read = (workspace: string) => {
  const rules = rulesOf(workspace)
  const skills = [...skillFiles(workspace, ".belay/skills"), ...skillFiles(workspace, ".agents/skills")]
  const commands = Files.below(workspace, ".belay/commands", ".md")
  const all = [...rules, ...skills, ...commands].slice(0, mostFiles)
  const counts = (files: ReadonlyArray<Files.File>) => files.filter((file) => all.includes(file))
  return { rules: counts(rules), skills: counts(skills), commands: counts(commands), all }
}

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

/** The files that a workspace has for its tasks, and a hash of their names and texts; `undefined` without any. */
export const fingerprint = (workspace: string): Fingerprint | undefined => fingerprintOf(read(workspace).all)

/** The user's own, from the data folder. */
const own = (folder: string): Content => ({
  rules: named(Files.below(folder, "rules", ".md")),
  skills: skillsOf(folder, skillFiles(folder, "skills")),
  commands: commandsOf(Files.below(folder, "commands", ".md"))
})

export interface Options {
  /** The data folder, absolute. */
  readonly home: string
  /** Whether a person trusts a workspace with the content of this hash. */
  readonly isTrusted: (workspace: string, hash: string) => Effect.Effect<boolean>
  /** Of the rules below a workspace, what a person trusts; none unless told. */
  readonly trustedBelow?: (workspace: string) => Effect.Effect<NestedRules.Trusted>
}

/** Reads the files each time. */
export const make = ({
  home,
  isTrusted,
  trustedBelow = () => Effect.succeed({})
}: Options): (typeof ProjectContext)["Service"] => ({
  content: (workspace) =>
    Effect.gen(function* () {
      const users = own(home)
      // Read once: only what has the hash that was asked about counts.
      const { all, commands, rules, skills } = read(workspace)
      const found = fingerprintOf(all)
      if (found === undefined || !(yield* isTrusted(workspace, found.hash))) return users
      return {
        rules: [...named(rules), ...users.rules],
        skills: [...skillsOf(workspace, skills), ...users.skills],
        commands: [...commandsOf(commands), ...users.commands]
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
