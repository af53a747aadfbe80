/** What engine and interfaces share, without Node: the words for states and numbers, and the sentences made of them. */
export * as Copy from "./protocol/Copy.ts"
export * as Transcript from "./protocol/Transcript.ts"
export * as Words from "./protocol/Words.ts"
