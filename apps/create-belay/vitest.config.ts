export { default } from "../../scripts/shared/vitest.ts"
