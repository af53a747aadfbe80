/** What engine and interfaces share, without Node: the words for states and numbers. */
export * as Words from "./protocol/Words.ts"
