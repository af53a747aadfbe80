/** What a deed needs of the interface at which it was wanted. */
import type { View } from "@belay/interaction"
import type { Appearance } from "../../output/Appearance.ts"
import type { Choosing } from "../screen/Chooser.ts"
import type { Viewed } from "../screen/Viewer.ts"

export interface Stage {
  readonly form: () => { readonly look: Appearance; readonly columns: number }
  /** Lines that stay. */
  readonly commit: (lines: ReadonlyArray<string>) => void
  /** Lines of ours that stay, wrapped. */
  readonly tell: (lines: ReadonlyArray<string>) => void
  /** One line, until the next key. */
  readonly hint: (text: string) => void
  /** Asks before something is done: any other key than `y` leaves it. */
  readonly confirm: (question: string, then: () => void) => void
  /** A list of which one is chosen. */
  readonly choose: (choosing: Choosing) => void
  /** Something long has the whole screen until it is left. */
  readonly view: (viewed: Viewed) => void
  /** Into the composer, before what was written meanwhile. */
  readonly giveBack: (text: string) => void
  /** Another program has the terminal while this runs. */
  readonly lend: <A>(run: () => Promise<A>) => Promise<A>
  /** Into the clipboard of the terminal; false where it has none. */
  readonly clip: (text: string) => boolean
  readonly changed: () => void
  /** The keys are those of the oldest that waits for the person. */
  readonly turnToAsk: () => void
  /** What may be meant by this line, in the place of what begins at `from`. */
  readonly offer: (line: string, from: number, items: ReadonlyArray<View.Completion>) => void
}
