/** What is said at one terminal: lines that stay, and one that is there until the next key. */
import type { Appearance } from "../../output/Appearance.ts"
import type { Size } from "./Frame.ts"
import * as Painter from "./Painter.ts"
import type { Tty } from "./Tty.ts"

/** Everything of an interface but what it does with keys. */
export abstract class Surface {
  protected readonly look: Appearance
  protected readonly tty: Tty
  protected readonly painter: Painter.Painter
  protected said = ""

  constructor(tty: Tty, look: Appearance) {
    this.look = look
    this.tty = tty
    this.painter = Painter.make(tty, (size) => this.draw(size))
  }

  /** What is live. */
  protected abstract draw(size: Size): Painter.Live

  /** Lines that stay. */
  readonly commit = (lines: ReadonlyArray<string>): void => {
    this.painter.commit(lines)
    this.painter.soon()
  }

  /** Columns of a line that stays. */
  readonly columns = (): number => Math.max(10, this.tty.size().columns - 1)

  /** What is live has changed, or time has passed. */
  readonly changed = (): void => this.painter.soon()

  readonly paint = (): void => this.painter.now()

  /** One line, until the next key. */
  readonly hint = (text: string): void => {
    this.said = text
    this.painter.soon()
  }

  readonly resized = (): void => this.painter.resized()

  /** Others had the terminal. */
  readonly back = (): void => this.painter.back()

  /** Another program has the terminal while this runs. */
  readonly lend = <A>(run: () => Promise<A>): Promise<A> => {
    this.painter.leave([])
    return this.tty.lend(run)
  }
}
