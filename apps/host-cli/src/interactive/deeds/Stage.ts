/** What a deed needs of the interface at which it was wanted. */
import type { Appearance } from "../../output/Appearance.ts"
import type { Choosing } from "../screen/Chooser.ts"

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
  /** Into the composer, before what was written meanwhile. */
  readonly giveBack: (text: string) => void
  /** Another program has the terminal while this runs. */
  readonly lend: <A>(run: () => Promise<A>) => Promise<A>
  readonly changed: () => void
}
