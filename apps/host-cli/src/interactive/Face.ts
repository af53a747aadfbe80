/** What a person sees and types at, whichever kind of terminal they have: what runs tasks tells it, and hears its wishes. */
import type { Stage } from "./deeds/Stage.ts"
import type { Preferences } from "./screen/Preferences.ts"
import type * as RowLines from "./transcript/RowLines.ts"
import type * as Underway from "./transcript/Underway.ts"
import type { Known, Wishes } from "./Wishes.ts"

export interface Face extends Stage {
  readonly form: () => RowLines.Form
  readonly know: (news: Partial<Known>) => void
  /** What is under way, whenever something is painted. */
  readonly follow: (live: () => Underway.Live) => void
  /** From now on wishes are heard. */
  readonly ready: (wishes: Wishes) => void
  /** Was sent before. */
  readonly remember: (text: string) => void
  /** From now on all is as the person has set it. */
  readonly prefer: (preferences: Preferences) => void
  readonly hasTask: () => boolean
  /** These stay in the place of all that is live. */
  readonly end: (lines: ReadonlyArray<string>) => void
}
