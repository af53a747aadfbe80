/**
 * Which files an expression of find can mean, as far as their names tell.
 *
 * What is found is a subset of what this says: conditions that are not understood leave nothing out.
 */
import type { Below } from "../../../CommandReading.ts"

type Text = string | null

export type Found = Omit<Below, "splits">

interface Branch {
  /** Undefined: all. */
  readonly names: ReadonlyArray<string> | undefined
  readonly skips: ReadonlyArray<string>
  readonly follows: Below["follows"]
}

const all: Branch = { names: undefined, skips: [], follows: "files" }

const both = (outer: Branch, inner: Branch): Branch => ({
  names: inner.names ?? outer.names,
  skips: [...outer.skips, ...inner.skips],
  follows: outer.follows === "nothing" ? outer.follows : inner.follows
})

const either = (branches: ReadonlyArray<Branch>): Branch => ({
  names: branches.some(({ names }) => names === undefined) ? undefined : branches.flatMap(({ names }) => names ?? []),
  skips: (branches[0]?.skips ?? []).filter((skip) => branches.every(({ skips }) => skips.includes(skip))),
  follows: branches.some(({ follows }) => follows !== "nothing") ? "files" : "nothing"
})

/** Brackets and escapes of a pattern are not told apart here: it then means all. */
const named = (pattern: Text | undefined): ReadonlyArray<string> | undefined =>
  typeof pattern === "string" && !/[[\]\\/]/.test(pattern) ? [pattern] : undefined

/** What lies in a folder, and the folder: the first letter tells whether it lies at the top. */
const lying = /^([.*])\/([\w.-]+)\/\*$/
const folder = /^([.*])\/([\w.-]+)$/

const one =
  /^-(?:type|xtype|i?name|i?path|i?wholename|i?regex|regextype|size|[acm](?:time|min)|(?:max|min)depth|perm|user|group|uid|gid|links|inum|printf|fprint0?|fls|newer..|newer|anewer|cnewer|samefile|fstype|used)$/

/** Where an action ends that runs a program: the index of its `;`, of a `+` behind `{}`, or of the end. */
export const endOf = (words: ReadonlyArray<Text>, from: number): number => {
  const end = words.findIndex((word, at) => at >= from && (word === ";" || (word === "+" && words[at - 1] === "{}")))
  return end < 0 ? words.length : end
}

export interface Read {
  /** By the index of the word that begins an action which runs a program or removes. */
  readonly actions: ReadonlyMap<number, Found>
  /** What is printed. */
  readonly printed: Found
}

/** Reads the words behind the folders in which find begins; `isHere`: it begins in the folder it runs in. */
export const read = (words: ReadonlyArray<Text>, isHere: boolean): Read => {
  const actions = new Map<number, Found>()
  const printed: Array<Branch> = []
  let at = 0

  const skipOf = (found: RegExpExecArray | null): ReadonlyArray<string> => {
    const [, from, name = ""] = found ?? []
    if (from === undefined || name === "..") return []
    return from === "*" ? [`${name}/`] : isHere ? [`/${name}/`] : []
  }

  /** The folders that an expression before `-prune` means, where it says nothing else. */
  const prunedBy = (tests: ReadonlyArray<Text>): ReadonlyArray<string> => {
    const words = tests
      .join(" ")
      .replace(/(?:^| )-type d(?= |$)/, "")
      .trim()
      .split(" ")
    if (words.length !== 2) return []
    const [test, value = ""] = words
    if (test === "-path") return skipOf(folder.exec(value))
    return test === "-name" && /^[\w.-]+$/.test(value) ? [`${value}/`] : []
  }

  const primary = (outer: Branch): Branch => {
    const text = words[at++]
    switch (text) {
      case "!":
      case "-not": {
        const found = /^-(?:whole)?(?:path|name)$/.test(words[at] ?? "") ? lying.exec(words[at + 1] ?? "") : null
        if (at < words.length) primary(outer)
        return { ...all, skips: skipOf(found) }
      }
      case "(": {
        const found = alternatives(outer)
        if (words[at] === ")") at++
        return found
      }
      case "-name":
      case "-iname":
        return { ...all, names: named(words[at++]) }
      case "-type":
        return { ...all, follows: words[at++] === "f" ? "nothing" : "files" }
      case "-print":
      case "-print0":
        printed.push(outer)
        return all
      case "-delete":
        actions.set(at - 1, { names: outer.names ?? [], skips: outer.skips, follows: "nothing" })
        return all
      case "-exec":
      case "-execdir":
      case "-ok":
      case "-okdir": {
        actions.set(at - 1, { names: outer.names ?? [], skips: outer.skips, follows: outer.follows })
        at = endOf(words, at) + 1
        return all
      }
      default:
        if (typeof text === "string" && one.test(text)) at++
        return all
    }
  }

  /** Conditions that hold together; `pruned` are folders that those before it have left out. */
  const together = (outer: Branch): readonly [found: Branch, pruned: ReadonlyArray<string>] => {
    let own = all
    let pruned: ReadonlyArray<string> = []
    const from = at
    while (at < words.length && !/^(?:-o|-or|,|\))$/.test(words[at] ?? "")) {
      const text = words[at]
      if (text === "-a" || text === "-and") at++
      else if (text === "-prune") {
        pruned = prunedBy(words.slice(from, at).filter((word) => word !== "-a" && word !== "-and"))
        at++
      } else own = both(own, primary(both(outer, own)))
    }
    return [own, pruned]
  }

  const alternatives = (outer: Branch): Branch => {
    const branches: Array<Branch> = []
    let pruned: ReadonlyArray<string> = []
    for (;;) {
      const [own, more] = together(both(outer, { ...all, skips: pruned }))
      branches.push({ ...own, skips: [...own.skips, ...pruned] })
      pruned = [...pruned, ...more]
      if (!/^(?:-o|-or|,)$/.test(words[at] ?? "")) return either(branches)
      at++
    }
  }

  const branches: Array<Branch> = []
  while (at < words.length) {
    branches.push(alternatives(all))
    // A bracket that closes nothing.
    if (at < words.length) at++
  }
  const shown = printed.length > 0 ? either(printed) : branches.length === 1 ? (branches[0] ?? all) : all
  return { actions, printed: { names: shown.names ?? [], skips: shown.skips, follows: shown.follows } }
}
