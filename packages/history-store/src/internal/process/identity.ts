/** Which file a history is, and who opens it: known before, and without, everything that opens it. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as path from "node:path"

export const fileOf = (directory: string): string => path.join(directory, "belay.db")

const word = Effect.map(Random.nextIntBetween(0, 0xffffffff), (value) => value.toString(16).padStart(8, "0"))

/** 128 random bits, hex. */
export const newOwnerId = Effect.map(Effect.all([word, word, word, word]), (words) => words.join(""))
