/** Builds the command, as it is published, and the entries of `fixtures`, before any test file. */
import { readdirSync } from "node:fs"
import * as path from "node:path"
import { build } from "rolldown"
import config from "../../rolldown.config.ts"
import { app, folder } from "./Built.ts"

const fixtures = path.resolve(import.meta.dirname, "../fixtures")

export default async (): Promise<void> => {
  const entries = readdirSync(fixtures)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => [path.basename(name, ".ts"), path.join(fixtures, name)])
  await build({
    ...config,
    cwd: app,
    input: { ...(config.input as Record<string, string>), ...Object.fromEntries(entries) },
    logLevel: "silent",
    output: { ...[config.output].flat()[0], dir: folder }
  })
}
