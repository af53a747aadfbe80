/** Lost tasks of other programs: looked for without writing anything, copied in a repaired form, or imported. */
export * as Chosen from "./rescue/Chosen.ts"
export * as Copy from "./rescue/Copy.ts"
export * as Found from "./rescue/Found.ts"
export * as FoundText from "./rescue/FoundText.ts"
export * as Look from "./rescue/Look.ts"
export * as TakeOver from "./rescue/TakeOver.ts"
