/** Random command lines on the tree: everyday ones, hostile ones, and everyday ones that were tampered with. Same seed, same lines. */
import { after, earlier, everyday, hostile } from "./Lines.ts"
import { bodies, loops, signing } from "./Loops.ts"
import { flags, gitFlags, names } from "./Words.ts"

export interface Line {
  /** `@@` is the folder above the workspace. */
  readonly text: string
  /** The folder it runs in; the workspace by default. */
  readonly cwd?: string
}

export interface Generator {
  readonly next: () => Line
}

/** https://en.wikipedia.org/wiki/Xorshift */
const randomOf = (seed: number) => {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1
  return (limit: number): number => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % limit
  }
}

const kinds = [
  "file",
  "folder",
  "source",
  "new",
  "link",
  "through",
  "protected",
  "evil",
  "secret",
  "outside",
  "later",
  "glob"
]
const operators = [" && ", " && ", " && ", "; ", "; ", " || ", " | ", "\n", " & "]
const folders = ["docs", "src", "fixtures/evil", "link-docs", "empty", "sub", "nest"]

export const make = (seed: number): Generator => {
  const random = randomOf(seed)
  const one = <T>(items: ReadonlyArray<T>): T => {
    const item = items[random(items.length)]
    if (item === undefined) throw new Error("nothing to choose from")
    return item
  }
  const chance = (percent: number): boolean => random(100) < percent

  const name = (kind: string): string => one(names[kind === "x" ? one(kinds) : kind] ?? [kind])

  /** The open places of a line; now and then with something else than what belongs there. */
  const fill = (line: string): string =>
    line.replace(/<([a-z]+)>/g, (_, kind: string) => {
      const isPath = kinds.includes(kind) || kind === "clean"
      return name(isPath && chance(8) ? "x" : kind)
    })

  /** As `fill`, with bodies that have open places themselves. */
  const looped = (): string => fill(one(loops).replace(/<body>/g, () => one(bodies)))

  /** The same word in another spelling. */
  const spell = (word: string): string => {
    if (!/^[\w./-]+$/.test(word)) return word
    const at = 1 + random(Math.max(1, word.length - 1))
    const [head, tail] = [word.slice(0, at), word.slice(at)]
    return one([
      `'${word}'`,
      `"${word}"`,
      `${head}'${tail}'`,
      `./${word}`,
      `${word}/`,
      `${word}/.`,
      `$PWD/${word}`,
      `${head}*`
    ])
  }

  const flagsOf = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
    const [program = "", sub = ""] = words
    const own = program === "git" ? (gitFlags[sub] ?? flags[program]) : flags[program]
    return (own ?? "-r -f").split(" ")
  }

  const simpleTampered = (text: string): string => {
    const words = text.split(" ")
    const at = 1 + random(Math.max(1, words.length - 1))
    const [program = "", sub = ""] = words
    switch (random(9)) {
      case 0:
      case 1:
      case 2:
        words.splice(program === "git" ? Math.max(2, at) : at, 0, one(flagsOf(words)))
        break
      case 3:
      case 4:
        words[at] = name("x")
        break
      case 5:
        words.splice(at, 0, name("x"))
        break
      case 6:
        words[at] = spell(words[at] ?? "")
        break
      case 7:
        if (words.length > 2 && sub !== "") words.splice(at, 1)
        break
      default:
        words.push(one(["> ", ">> ", "< ", "2> ", "&> "]) + name("x"))
    }
    return words.join(" ")
  }

  /** Changes one of the programs of a line, or puts something around it. */
  const tampered = (text: string): string => {
    const pieces = text.split(/( && | \|\| |; | \| )/)
    if (chance(80)) {
      const at = 2 * random(Math.ceil(pieces.length / 2))
      pieces[at] = simpleTampered(pieces[at] ?? "")
      return pieces.join("")
    }
    return one([
      `cd ${name("folder")} && ${text}`,
      `cd ${name("link")} && ${text}`,
      `{ ${text}; }`,
      `(${text})`,
      `mkdir -p ${name("new")} && ${text}`,
      `${text} | xargs ${fill(one(["<reader>", "<changer>"]))}`,
      `env ${text}`,
      `timeout 2 ${text}`,
      `nice ${text}`,
      `command ${text}`,
      `if true; then ${text}; fi`,
      `${text} 2>&1 | tail -n 3`,
      `LC_ALL=C ${text}`
    ])
  }

  const program = (): string => {
    const own = one(Object.keys(flags))
    const words = [own, ...(own === "git" ? [one(Object.keys(gitFlags))] : [])]
    for (let left = 1 + random(4); left > 0; left--) words.push(chance(45) ? one(flagsOf(words)) : name("x"))
    return words.join(" ")
  }

  const steps = (): string => {
    const first = fill(one(earlier))
    const middle = chance(25) ? fill(one(chance(50) ? earlier : everyday)) + one(operators) : ""
    return first + one(operators) + middle + fill(one(chance(85) ? after : hostile))
  }

  const base = (): string => {
    const kind = random(100)
    if (kind < 18) return fill(one(everyday))
    if (kind < 45) return fill(one(hostile))
    if (kind < 65) return steps()
    if (kind < 86) return looped()
    if (kind < 88) return fill(one(signing))
    return program()
  }

  const next = (): Line => {
    let text = base()
    if (chance(6)) text += one(operators) + base()
    while (chance(30)) text = tampered(text)
    return chance(4) ? { text, cwd: one(folders) } : { text }
  }

  return { next }
}
