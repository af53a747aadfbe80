export * as EverydayTasks from "./EverydayTasks.ts"
export * as Processes from "./Processes.ts"
export * as Scenario from "./Scenario.ts"
export * as ScriptedServer from "./ScriptedServer.ts"
