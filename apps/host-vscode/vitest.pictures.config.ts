import { defineConfig } from "vitest/config"
import shared from "./vitest.config.ts"

/** The pictures of every state and theme, which no other run takes. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["test/pictures.story.ts"], reporters: ["default"] }
})
