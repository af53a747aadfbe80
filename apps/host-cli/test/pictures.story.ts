/**
 * Pictures of the interactive terminal for documents, from the real program, and one run of it, at the pace of a person, as
 * a moving picture and as an asciicast.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import type { Scenario } from "@belay/testkit"
import { describe, it } from "vitest"
import { completes, use } from "./support/asking.ts"
import { folder as made } from "./support/cli.ts"
import { open, says } from "./support/Interactive.ts"
import * as Film from "./support/Film.ts"
import * as Picture from "./support/Picture.ts"
import type { Screen, Size } from "./support/Screen.ts"

const folder = path.resolve(import.meta.dirname, "../../../docs/pictures")

const said = `I split this into two parts, which go on by themselves:

1. **Parser**: tokens and tests, in \`src/parse.ts\`
2. **Packages**: a dry run of what is published

\`\`\`ts
export const parse = (text: string): Flags => {
  // Later flags win.
  return read(text.split(" "), { strict: true })
}
\`\`\`
`

const begins = {
  content: [
    { type: "text" as const, text: said },
    ...use("new_task", { prompt: "Write the parser" }, "parser").content,
    ...use("new_task", { prompt: "Publish a dry run" }, "packages").content
  ]
}

const scripts = [
  ["Write the parser", [use("read_file", { path: "sum.js" }), completes("Parser in src/parse.ts with 14 tests")]],
  ["Publish a dry run", [use("execute_command", { command: "npm publish --dry-run --tag next" })]]
] as const

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A folder of a test says nothing to anybody. */
const named = (text: string, home: string): string => text.replaceAll(home, "~")

/** The screen as it is, in both themes. */
const take = (name: string, screen: Screen, home: string): void => {
  const rows = screen.cells()
  for (const theme of ["dark", "light"] as const) {
    const drawn = Picture.svg(rows, screen.caret(), theme)
    writeFileSync(path.join(folder, `${name}-${theme}.svg`), named(drawn, home))
  }
}

/** https://docs.asciinema.org/manual/asciicast/v2/ */
const cast = ({ columns, rows }: Size, screen: Screen): string =>
  [
    JSON.stringify({ version: 2, width: columns, height: rows, env: { TERM: "xterm-256color" } }),
    ...screen.record().map(([at, bytes]) => JSON.stringify([Math.round(at) / 1000, "o", bytes]))
  ].join("\n")

describe("the interactive terminal", () => {
  it.each([
    { columns: 80, rows: 24 },
    { columns: 160, rows: 50 }
  ])("of $columns columns", async (size) => {
    mkdirSync(folder, { recursive: true })
    const home = made()
    const cwd = path.join(home, "release")
    mkdirSync(cwd)
    const name = `terminal-${size.columns}x${size.rows}`
    const { screen } = await open([begins, says("Both are there.")], {
      size,
      env: { HOME: home },
      of: { cwd, home: made(), url: "" },
      scripts: scripts.map(([prompt, answers]) => [prompt, [...answers]])
    })
    await screen.seen("? keys")
    for (const key of "Work on release 2.0: parser and packages") screen.type(key)
    await screen.seen("packages")
    screen.type("\r")
    await screen.seen(/Needs you .*Tab answers/)
    await screen.seen(/✓ Write the parser/)
    take(name, screen, home)
    screen.type("\t")
    await screen.seen("number, then Enter")
    take(`${name}-ask`, screen, home)
    screen.kill()
  })

  it("as it is used, from a prompt to its end", async () => {
    const size = { columns: 80, rows: 24 }
    const home = made()
    const cwd = path.join(home, "release")
    mkdirSync(cwd)
    writeFileSync(path.join(cwd, "package.json"), '{ "name": "release", "version": "2.0.0" }\n')
    const unhurried = (answer: Scenario.Answer): Scenario.Answer => ({ ...answer, delayMs: 25 })
    const { screen } = await open(
      [begins, says("Both are there: the parser, and a dry run of the packages.")].map(unhurried),
      {
        size,
        env: { HOME: home },
        of: { cwd, home: made(), url: "" },
        scripts: scripts.map(([prompt, answers]) => [
          prompt,
          [
            ...answers,
            ...(prompt === "Write the parser" ? [] : [completes("Nothing is published that should not be")])
          ].map(unhurried)
        ])
      }
    )
    await screen.seen("? keys")
    await pause(900)
    for (const key of "Work on release 2.0: parser and packages") {
      screen.type(key)
      await pause(45)
    }
    await pause(500)
    screen.type("\r")
    await screen.seen(/Needs you .*Tab answers/)
    await screen.seen(/✓ Write the parser/)
    await pause(1500)
    for (const key of ["\t", "1", "\r"]) {
      screen.type(key)
      await pause(1300)
    }
    await screen.seen(/Both are there[^]*✓ Done/)
    await pause(300)
    writeFileSync(path.join(folder, "terminal.cast"), named(`${cast(size, screen)}\n`, home))
    writeFileSync(path.join(folder, "terminal.svg"), named(await Film.svg(screen.record, size, "dark"), home))
    screen.kill()
  }, 120_000)
})
