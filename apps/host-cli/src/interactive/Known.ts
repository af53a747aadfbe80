/** What an interface knows before anything is known. */
import type { Known } from "./Wishes.ts"

export const unknown: Known = {
  mode: "act",
  header: undefined,
  model: "",
  tree: [],
  asks: [],
  queued: [],
  others: 0,
  isBusy: false,
  isYourTurn: false
}
