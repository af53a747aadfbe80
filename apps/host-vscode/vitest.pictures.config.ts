import { defineConfig } from "vitest/config"
import shared from "./vitest.config.ts"

/** The pictures of every state and theme, and those of the recording, which no other run takes. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["test/*.story.ts"], reporters: ["default"] }
})
