/**
 * Models as their makers describe them: prices in US dollars per million tokens, cache writes those of five minutes.
 *
 * A page may name a price that its model's own page has later than it: the newer one counts. What no page says is left out.
 */
import type { Usage } from "@belay/message-state"

/** Says how a model is told to think. */
export type Ability =
  /** It never does, or is not to be told. */
  | { readonly kind: "none" }
  /** It is given tokens. */
  | { readonly kind: "budget" }
  /**
   * It decides by itself, led by an effort; `effort` is the one that its maker has for it. `off` is how little it can
   * think: not at all, only between calls, or always as it sees fit. `bound`: its thinking holds only behind what it was
   * made from.
   */
  | {
      readonly kind: "adaptive"
      readonly effort: "low" | "medium" | "high"
      readonly off: "disabled" | "between_tools" | "never"
      readonly bound: boolean
    }

/** Describes a model as its makers do. */
export interface Model {
  readonly id: string
  /** Tokens. */
  readonly context: number
  readonly output: number
  readonly price?: Usage.Price
  readonly thinking: Ability
  readonly images: boolean
  /** It takes a temperature. */
  readonly temperature: boolean
  /** The page that says so, and when it was looked at. */
  readonly source: string
  readonly date: string
}

const date = "2026-11-25"
const page = (name: string): string => `https://platform.claude.com/docs/en/models/${name}/overview`

/** The pages of models that are sold no longer, or not alone, are gone: the list of prices has them. */
const prices = "https://platform.claude.com/docs/en/about-claude/pricing"

const price = (input: number, output: number, cacheRead: number): Usage.Price => ({
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25
})

const budget: Ability = { kind: "budget" }

const adaptive = (
  effort: "medium" | "high",
  off: Extract<Ability, { readonly kind: "adaptive" }>["off"],
  bound = false
): Ability => ({ kind: "adaptive", effort, off, bound })

const million = { context: 1_000_000, output: 128_000, images: true, date } as const
const older = { context: 200_000, images: true, temperature: true, date, thinking: budget } as const

/** Lists the models that are known by name. */
export const models: ReadonlyArray<Model> = [
  {
    ...million,
    id: "claude-fable-5-2",
    price: price(8, 40, 0.2),
    thinking: adaptive("high", "never", true),
    temperature: false,
    source: page("fable-5-2")
  },
  {
    ...million,
    id: "claude-mythos-5-2",
    thinking: adaptive("high", "never", true),
    temperature: false,
    source: page("fable-5-2")
  },
  {
    ...million,
    id: "claude-fable-5-1",
    price: price(10, 50, 0.25),
    thinking: adaptive("high", "never", true),
    temperature: false,
    source: page("fable-5-1")
  },
  {
    ...million,
    id: "claude-mythos-5-1",
    price: price(10, 50, 0.25),
    thinking: adaptive("high", "never", true),
    temperature: false,
    source: prices
  },
  {
    ...million,
    id: "claude-fable-5",
    price: price(10, 50, 1),
    thinking: adaptive("high", "never"),
    temperature: false,
    source: page("fable-5")
  },
  {
    ...million,
    id: "claude-mythos-5",
    price: price(10, 50, 1),
    thinking: adaptive("high", "never"),
    temperature: false,
    source: prices
  },
  {
    ...million,
    id: "claude-opus-5-5",
    price: price(4, 20, 0.2),
    thinking: adaptive("medium", "never", true),
    temperature: false,
    source: page("opus-5-5")
  },
  {
    ...million,
    id: "claude-sonnet-5-5",
    price: price(2, 10, 0.1),
    thinking: adaptive("high", "between_tools", true),
    temperature: false,
    source: page("sonnet-5-5")
  },
  {
    ...million,
    id: "claude-haiku-5-5",
    price: { ...price(0.1, 0.5, 0.01), above: { promptTokens: 100_000, ...price(0.5, 2.5, 0.05) } },
    thinking: adaptive("medium", "disabled", true),
    temperature: false,
    source: page("haiku-5-5")
  },
  {
    ...million,
    id: "claude-opus-5",
    price: price(5, 25, 0.5),
    thinking: adaptive("high", "disabled"),
    temperature: false,
    source: page("opus-5")
  },
  {
    ...million,
    id: "claude-sonnet-5",
    price: price(2, 10, 0.2),
    thinking: adaptive("high", "disabled"),
    temperature: false,
    source: page("sonnet-5")
  },
  {
    ...million,
    id: "claude-opus-4-8",
    price: price(5, 25, 0.5),
    thinking: adaptive("high", "disabled"),
    temperature: false,
    source: page("opus-4-8")
  },
  {
    ...million,
    id: "claude-opus-4-7",
    price: price(5, 25, 0.5),
    thinking: adaptive("high", "disabled"),
    temperature: false,
    source: page("opus-4-7")
  },
  {
    ...million,
    id: "claude-opus-4-6",
    price: price(5, 25, 0.5),
    thinking: adaptive("high", "disabled"),
    temperature: true,
    source: page("opus-4-6")
  },
  {
    ...million,
    id: "claude-sonnet-4-6",
    price: price(3, 15, 0.3),
    thinking: adaptive("high", "disabled"),
    temperature: true,
    source: page("sonnet-4-6")
  },
  { ...older, id: "claude-opus-4-5", output: 64_000, price: price(5, 25, 0.5), source: page("opus-4-5") },
  { ...older, id: "claude-sonnet-4-5", output: 64_000, price: price(3, 15, 0.3), source: page("sonnet-4-5") },
  { ...older, id: "claude-haiku-4-5", output: 64_000, price: price(1, 5, 0.1), source: page("haiku-4-5") },
  { ...older, id: "claude-opus-4-1", output: 32_000, price: price(15, 75, 1.5), source: prices },
  { ...older, id: "claude-opus-4", output: 32_000, price: price(15, 75, 1.5), source: prices },
  { ...older, id: "claude-sonnet-4", output: 64_000, price: price(3, 15, 0.3), source: prices },
  { ...older, id: "claude-3-7-sonnet", output: 64_000, price: price(3, 15, 0.3), source: prices },
  {
    id: "deepseek-v4-pro",
    context: 1_000_000,
    output: 384_000,
    thinking: budget,
    images: false,
    temperature: true,
    source: "https://api-docs.deepseek.com/quick_start/pricing",
    date
  }
]

/** Short names, each of the newest of its family. */
export const aliases: { readonly [alias: string]: string } = {
  fable: "claude-fable-5-2",
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5"
}
