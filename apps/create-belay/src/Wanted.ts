/** What the arguments ask for. */
import { parseArgs } from "node:util"

/** Says in one line what was wrong, and what to do. */
export class ProjectError extends Error {
  readonly _tag = "ProjectError"
  constructor({ advice, what }: { readonly what: string; readonly advice: string }) {
    super(`${what}. ${advice}`)
  }
}

/** The templates, each of folders of which a later one has the last word; the first is taken where nobody chooses. */
export const templates = [
  { name: "task", parts: ["shared", "sdk", "task"], says: "a task that asks you in the terminal" },
  { name: "tool", parts: ["shared", "sdk", "tool"], says: "a task with a tool of your own, and its test" },
  {
    name: "host",
    parts: ["shared", "sdk", "host"],
    says: "a host over HTTP: any request answers what is asked"
  },
  {
    name: "effect",
    parts: ["shared", "effect"],
    says: "a host of layers of Effect, from the single packages"
  }
] as const

/** The template of a name; throws `ProjectError` for another one. */
export const template = (name: string): (typeof templates)[number] => {
  const found = templates.find((one) => one.name === name)
  if (found !== undefined) return found
  const names = templates.map((one) => one.name).join(", ")
  throw new ProjectError({ what: `there is no template ${JSON.stringify(name)}`, advice: `Take one of ${names}.` })
}

export interface Wanted {
  readonly folder: string | undefined
  readonly template: string | undefined
  readonly shows?: "help" | "version"
}

/** Throws `ProjectError` for what is no argument. */
export const wantedOf = (args: ReadonlyArray<string>): Wanted => {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: "string", short: "t" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" }
      }
    })
    const [folder, another] = positionals
    if (another !== undefined)
      throw new ProjectError({ what: `two folders are named, ${folder} and ${another}`, advice: "Name one." })
    const shows = values.help === true ? "help" : values.version === true ? "version" : undefined
    return { folder, template: values.template, ...(shows === undefined ? {} : { shows }) }
  } catch (cause) {
    if (cause instanceof ProjectError || !(cause instanceof Error)) throw cause
    const [what = ""] = cause.message.split(/[.\n]/)
    throw new ProjectError({ what: what.toLowerCase(), advice: "--help says what there is." })
  }
}
