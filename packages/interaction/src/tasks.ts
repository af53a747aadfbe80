/** Tasks of any process as trees and lists show them: their state in words, and what a person can do with each. */
export * as StateText from "./tasks/StateText.ts"
