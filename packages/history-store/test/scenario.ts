export * from "../src/testing/scenario.ts"
