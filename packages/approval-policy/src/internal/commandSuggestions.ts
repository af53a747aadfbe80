/** Entries of `commands.allow` that would cover a command. */
import type { Approvals } from "../Approvals.ts"
import type { CommandFact } from "../CommandFact.ts"
import type { Action } from "../CommandReading.ts"
import { bare, baseName, exactly, isActive, isFree, isKnown, uncovered, wordsOf } from "./commandRules.ts"

/** The shortest rule that covers an action and says what it is for; undefined where none can. */
const ruleFor = (action: Action, command: CommandFact): string | undefined => {
  const hazards = action.hazards.filter((hazard) => isActive(hazard, command))
  const { argv, place } = bare(action, hazards)
  const needed = Math.max(1, ...hazards.map(({ at }) => place(at) + 1))
  // Of what is lost or changed without a word the rule names all.
  const isNarrow = !action.readOnly && narrowly.test(baseName(action.argv[0] ?? ""))
  const words = isNarrow ? action.argv : argv.slice(0, Math.max(needed, width(action, argv)))
  const rule = words.join(" ")
  const isRule = needed <= argv.length && !argv.includes(null) && isKnown(action, command)
  const isPlain = wordsOf(rule) !== undefined && !words.some((word) => word === null || /\s/.test(word))
  return isRule && isPlain ? rule : undefined
}

const narrowly = /^(?:rm|rmdir|unlink|shred|truncate|kill|pkill|killall|chmod|chown|chgrp|dd|rsync|scp|ssh|sudo|doas)$/

const verb = /^[A-Za-z:][\w:.-]*$/

/** Of programs such as git or npm the rule names what they are to do, and of a runner of scripts which script. */
const width = ({ readOnly }: Action, [program, first, second]: Action["argv"]): number => {
  if (readOnly || !verb.test(first ?? "")) return 1
  const runs = /^(?:npm|pnpm|yarn|bun|deno)$/.test(program ?? "") && /^(?:run|run-script|task)$/.test(first ?? "")
  if (runs && verb.test(second ?? "")) return 3
  // A file of the project, such as `./gradlew`, may do a lot: the rule says which of it.
  if (program?.includes("/") === true) return 2
  return /^(?:git|npm|pnpm|yarn|bun|deno|cargo|go|docker|make|gh|pip|uv|poetry|dotnet|gradle|mvn)$/.test(program ?? "")
    ? 2
    : 1
}

/**
 * Rules that a user could add to `commands.allow`, so that the command would not ask for want of one: for each program
 * the narrowest that is of use.
 */
export const suggestions = (command: CommandFact, approvals: Approvals): ReadonlyArray<string> => {
  if (command.reading.form === "unreadable") return []
  if (command.reading.form === "compound") return [exactly(command.text)]
  const { actions } = command.reading
  const indexes = [...new Set(uncovered(command, approvals).map(({ at }) => at))]
  // A rule for what runs it covers a program, too.
  const outer = indexes.filter((at) => !indexes.includes(actions[at]?.parent ?? -1))
  const rules = outer.flatMap((index) =>
    actions.flatMap((action, at) => {
      const isPart = at === index || (action.parent === index && action.from >= 0)
      return isPart && (at === index || !isFree(action, command, approvals)) ? [ruleFor(action, command)] : []
    })
  )
  const named = rules.filter((rule) => rule !== undefined)
  return named.length < rules.length ? [exactly(command.text)] : [...new Set(named)]
}
