/** What engine and interfaces share, without Node: words, sentences, rows of a conversation, and what views are told. */
export * as AskText from "./protocol/AskText.ts"
export * as Copy from "./protocol/Copy.ts"
export * as McpCall from "./protocol/McpCall.ts"
export * as Picture from "./protocol/Picture.ts"
export * as Row from "./protocol/Row.ts"
export * as Transcript from "./protocol/Transcript.ts"
export * as View from "./protocol/View.ts"
export * as Words from "./protocol/Words.ts"
