import { defineConfig } from "vitest/config"
import shared from "./vitest.config.ts"

/** The pictures of the interactive terminal, which no other run takes. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["test/*.story.ts"], reporters: ["default"] }
})
