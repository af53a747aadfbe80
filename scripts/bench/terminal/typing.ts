/** How a person types at a seat, as it is measured. */
import { quantile } from "../figures/spread.ts"
import * as Seat from "./seat.ts"

/** Ms between keys: as fast as people type, and in no step with anything. */
const between = (key: number): number => 110 + 13 * (key % 5)

export const p95 = (values: ReadonlyArray<number>): number => quantile(values, 0.95)

/** Letter by letter: a burst would be a paste. */
export const words = async (seat: Seat.Seat, text: string): Promise<void> => {
  for (const letter of text) {
    seat.type(letter)
    await Seat.wait(5)
  }
}

/** A prompt, and the Enter that sends it. */
export const say = async (seat: Seat.Seat, text: string): Promise<void> => {
  await words(seat, text)
  await Seat.wait(150)
  seat.type("\r")
}

/** Takes back so many letters. */
export const erase = (seat: Seat.Seat, letters: number): Promise<void> => words(seat, "\u007F".repeat(letters))

/** Keys as long as it goes on; the ms from each to its echo. */
export const keys = async (seat: Seat.Seat, goesOn: (typed: number) => boolean): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  while (goesOn(times.length)) {
    times.push(await seat.key())
    await Seat.wait(between(times.length))
  }
  return times
}
