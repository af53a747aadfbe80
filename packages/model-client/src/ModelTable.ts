/**
 * What is known of models without asking a service. A model that is not here has what is safe with every service.
 *
 * Source: https://docs.anthropic.com/en/docs/about-claude/models/overview, November 2026. The largest outputs there are
 * 32,000 tokens or more; no answer needs more than that.
 */

/** Tokens of an answer that a service takes of any model. */
export const safeOutputTokens = 8192

const takesMore: ReadonlyArray<readonly [family: RegExp, outputTokens: number]> = [
  [/^claude-(?:fable|haiku|mythos|opus|sonnet)-[4-9](?!\d)/u, 32_000],
  [/^claude-3-7-sonnet/u, 32_000]
]

/** Gateways and clouds put a path or the maker before the name, for example `anthropic/claude-sonnet-4.5`. */
const bare = (model: string): string => /claude-[^/:]*/u.exec(model.toLowerCase())?.[0] ?? ""

/** The tokens of an answer that are asked for unless a setting says so. */
export const outputTokens = (model: string): number =>
  takesMore.find(([family]) => family.test(bare(model)))?.[1] ?? safeOutputTokens
