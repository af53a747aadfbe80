export * as Mode from "./Mode.ts"
export * as ModeSwitch from "./ModeSwitch.ts"
export * as PlanResponse from "./PlanResponse.ts"
