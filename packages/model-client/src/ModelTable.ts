/**
 * What is known of models without asking a service: limits, prices, and how they think. A model that is not here has what
 * is safe with every service.
 */
import { type Ability, aliases, type Model, models } from "./internal/models.ts"
import type { Effort, Thinking } from "./ModelRequest.ts"

export { aliases, models }
export type { Ability, Model }

/** Tokens of an answer that a service takes of any model. */
export const safeOutputTokens = 8192

/** Tokens that a model of which nothing is known is taken to read. */
export const safeContextTokens = 200_000

/** Tokens of an answer besides what is thought for it; no answer needs more. */
const answerTokens = 32_000

const byId: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]))

/**
 * The name by itself: gateways and clouds put a path or the maker before it, and a date, a version or a variant behind,
 * for example `us.anthropic.claude-opus-4-1-20250805-v1:0` or `anthropic/claude-sonnet-4.5`.
 */
const bare = (name: string): string => {
  const last = name.toLowerCase().split("/").at(-1) ?? ""
  const from = /claude-|deepseek-/u.exec(last)?.index ?? 0
  return last
    .slice(from)
    .replace(/[@:[].*$/u, "")
    .replaceAll(".", "-")
    .replace(/-(?:latest|v\d+)$/u, "")
    .replace(/-\d{8}$/u, "")
}

const found = new Map<string, Model | undefined>()

/** Gives what is known of a model, by whatever name a service has for it. */
export const find = (name: string): Model | undefined => {
  if (!found.has(name)) found.set(name, byId.get(bare(name)))
  return found.get(name)
}

/** Says whether two names may be of one model: services put a path, a version or a variant to it. */
export const isSame = (one: string, other: string): boolean => {
  const [a, b] = [bare(one), bare(other)]
  return a.includes(b) || b.includes(a)
}

/** The id that a short name stands for; any other name as it is. */
export const resolve = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name)

/** Says how much a model is to think: by a word, or so many tokens of each answer. */
export type Level = "off" | Effort | number

const budgets: { readonly [E in Effort]: number } = { low: 8192, medium: 16_384, high: 32_000 }

/** The fewest tokens that a budget may have. Source: https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
export const leastBudget = 1024

const effortOf = (level: Effort | number): Effort => {
  if (typeof level === "string") return level
  if (level < (budgets.low + budgets.medium) / 2) return "low"
  return level < (budgets.medium + budgets.high) / 2 ? "medium" : "high"
}

/** How a model is told to think where nothing is known of it: only if somebody asks for it, and then with a budget. */
const unknown = (level: Level | undefined): Ability => ({ kind: level === undefined ? "none" : "budget" })

const without = (ability: Ability): Thinking | undefined => {
  if (ability.kind !== "adaptive") return undefined
  return ability.off === "never" ? { type: "adaptive", effort: "low" } : { type: ability.off }
}

/**
 * Says how a model is told to think at a level, or at the one that its maker has for it, which is medium for a budget; nothing
 * for what is told by saying nothing.
 */
export const thinking = (ability: Ability | undefined, level?: Level): Thinking | undefined => {
  const known = ability ?? unknown(level)
  if (known.kind === "none") return undefined
  if (level === "off") return without(known)
  if (known.kind === "adaptive") return { type: "adaptive", effort: effortOf(level ?? known.effort) }
  const wanted = level ?? "medium"
  return { type: "budget", tokens: typeof wanted === "number" ? wanted : budgets[wanted] }
}

const tokensOf = (how: Thinking | undefined): number => {
  if (how?.type === "budget") return how.tokens
  return how?.type === "adaptive" ? budgets[how.effort] : 0
}

/**
 * The tokens of an answer that are asked for unless a setting says so, of a model whose largest answer is known or not:
 * what is thought counts, and comes on top of what an answer needs, as far as the model goes.
 */
export const outputTokens = (largest: number | undefined, how?: Thinking): number =>
  largest === undefined ? safeOutputTokens + tokensOf(how) : Math.min(largest, answerTokens + tokensOf(how))

/** The same in an answer of so many tokens: a budget takes at most half of them, and is none where that is too few. */
export const within = (how: Thinking | undefined, maxTokens: number): Thinking | undefined => {
  if (how?.type !== "budget") return how
  const tokens = Math.min(how.tokens, Math.floor(maxTokens / 2))
  return tokens < leastBudget ? undefined : { type: "budget", tokens }
}
