export * as Checklist from "./Checklist.ts"
export { FocusChain, type Stored, type Written } from "./FocusChain.ts"
export { FocusChainError, maxBytes, Reason } from "./FocusChainError.ts"
