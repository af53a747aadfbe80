/**
 * The contract of hooks: how settings write them, what a hook is told of a call, what it answers, and what several
 * answers come to beside the policy.
 */
export * as Hook from "./hooks/Hook.ts"
export * as HookCall from "./hooks/HookCall.ts"
export * as HookCombination from "./hooks/HookCombination.ts"
export * as HookConfig from "./hooks/HookConfig.ts"
export * as HookInput from "./pipeline/HookInput.ts"
export * as HookMatcher from "./hooks/HookMatcher.ts"
export * as HookOutput from "./hooks/HookOutput.ts"
export * as HookScripts from "./hooks/HookScripts.ts"
