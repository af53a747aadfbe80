/**
 * Which processes run in the background for a task, as one small file each beside its output: what is found of a process
 * that has gone ended with it. A disk that takes no more loses the note, and nothing else.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"

const Mark = Schema.fromJsonString(Schema.Struct({ command: Schema.String }))
const decode = Schema.decodeUnknownOption(Mark)
const encode = Schema.encodeSync(Mark)

export interface Marked {
  readonly id: string
  readonly command: string
}

const ending = ".running"

const quietly = <A>(does: () => A): A | undefined => {
  try {
    return does()
  } catch {
    return undefined
  }
}

export const put = (folder: string, { command, id }: Marked): void => {
  quietly(() => {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    fs.writeFileSync(path.join(folder, id + ending), encode({ command }), { mode: 0o600, flag: "wx" })
  })
}

export const remove = (folder: string, id: string): void =>
  quietly(() => fs.rmSync(path.join(folder, id + ending), { force: true }))

export const all = (folder: string): ReadonlyArray<Marked> => {
  const names = quietly(() => fs.readdirSync(folder)) ?? []
  return names.toSorted().flatMap((name) => {
    if (!name.endsWith(ending)) return []
    const text = quietly(() => fs.readFileSync(path.join(folder, name), "utf8"))
    return Option.toArray(decode(text)).map(({ command }) => ({ id: name.slice(0, -ending.length), command }))
  })
}
