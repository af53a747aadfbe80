/** The programs and threads that tests start, bundled once before all of them: they start four times as fast. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "rolldown"

const own = fileURLToPath(new URL("..", import.meta.url))
const fixtures = join(own, "test", "fixtures")
const built = join(own, ".cache", "programs")

/** A program of `fixtures`, or `worker`, the thread of a history. */
export const fileOf = (name: string): string => join(built, `${name}.js`)

export const urlOf = (name: string): URL => pathToFileURL(fileOf(name))

export default async (): Promise<void> => {
  const programs = readdirSync(fixtures).map((file) => [basename(file, ".ts"), join(fixtures, file)] as const)
  mkdirSync(built, { recursive: true })
  writeFileSync(join(built, "package.json"), '{ "type": "module" }')
  await build({
    input: { ...Object.fromEntries(programs), worker: "@belay/history-store/worker" },
    cwd: own,
    platform: "node",
    resolve: { conditionNames: ["@belay/source", "node", "import", "default"] },
    logLevel: "silent",
    output: { dir: built, format: "esm", entryFileNames: "[name].js" }
  })
}
