#!/usr/bin/env node
/** `npm create belay`: asks what is not said, writes a project, and says what to type next. */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline/promises"
import { ProjectError, template, templates, wantedOf, type Wanted } from "./Wanted.ts"
import { writeProject } from "./writeProject.ts"

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const help = `npm create belay [FOLDER] [-- --template NAME]

Makes a small project that runs, in a new or an empty folder. It installs
nothing, and needs no network.

Templates:
${templates.map(({ name, says }) => `  ${name.padEnd(8)}${says}`).join("\n")}

Options:
  --template NAME   one of these; ${templates[0].name} by default where nobody can be asked
  --help            this text
  --version         the version, which is that of the packages in the project`

/** Asks in a terminal for what is not said. */
const asked = async (wanted: Wanted): Promise<Wanted> => {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return wanted
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const folder = wanted.folder ?? (await terminal.question("Folder of the project: ")).trim()
    if (wanted.template !== undefined) return { ...wanted, folder }
    templates.forEach(({ name, says }, at) => say(`  ${at + 1}  ${name.padEnd(8)}${says}`))
    const said = (await terminal.question("Template (1): ")).trim()
    const chosen = said === "" ? templates[0] : (templates[Number(said) - 1] ?? template(said))
    return { ...wanted, folder, template: chosen.name }
  } finally {
    terminal.close()
  }
}

/** The program that started this one, as npm, pnpm, yarn and bun name themselves. */
const manager = (): string => /^(pnpm|yarn|bun)\//.exec(process.env["npm_config_user_agent"] ?? "")?.[1] ?? "npm"

const run = async (): Promise<void> => {
  const wanted = wantedOf(process.argv.slice(2))
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8")
  )
  if (wanted.shows === "help") return say(help)
  if (wanted.shows === "version") return say(version)
  const { folder, template: name = templates[0].name } = await asked(wanted)
  if (folder === undefined || folder === "")
    throw new ProjectError({ what: "no folder is named", advice: "Name a new one: npm create belay my-agent" })
  const written = writeProject(new URL("./templates/", import.meta.url), path.resolve(folder), template(name).parts)
  say(`${written.length} files are in ${folder}.`)
  say(`Next:\n  cd ${folder}\n  ${manager()} install\n  ${manager()} start`)
}

try {
  await run()
} catch (cause) {
  if (!(cause instanceof ProjectError)) throw cause
  process.stderr.write(`create-belay: ${cause.message}\n`)
  process.exitCode = 1
}
