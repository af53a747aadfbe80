import { readFileSync } from "node:fs"
import * as path from "node:path"
import { defineConfig } from "rolldown"
import { whole } from "../../scripts/shared/bundle.ts"
import { writeTemplates } from "./templates.ts"

/** The program, and the templates with versions that can be installed. */
export default defineConfig({
  ...whole,
  input: "src/create-belay.ts",
  platform: "node",
  external: [/^node:/],
  plugins: [
    {
      name: "templates",
      writeBundle: ({ dir = "dist" }) => {
        const workspace = readFileSync(path.resolve("../../pnpm-workspace.yaml"), "utf8")
        const { version } = JSON.parse(readFileSync("package.json", "utf8"))
        writeTemplates("templates", path.join(dir, "templates"), { version, workspace })
      }
    }
  ],
  output: { dir: "dist", cleanDir: true, format: "esm", minify: false, sourcemap: false }
})
