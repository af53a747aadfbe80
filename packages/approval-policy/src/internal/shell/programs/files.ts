/** Programs that copy, move, make and remove files. */
import type { Below } from "../../../CommandReading.ts"
import { disks } from "./disks.ts"
import { type Findings, type Operand, type Parsed, type Spec, unnamed, type Word, written } from "../table/spec.ts"

const lastName = (text: string): string => text.replace(/\/+$/, "").split("/").at(-1) ?? ""

/** With these a link is copied as one, and leads where it led. */
const keepsLinks = ["-r", "-R", "-a", "-d", "-P", "--recursive", "--archive", "--no-dereference"]
const copiesTrees = ["-r", "-R", "-a", "--recursive", "--archive"]
const followsLinks = ["-L", "-H", "--dereference"]

/** The folder it runs in. */
const here: Word = { text: ".", glob: false, written: ".", at: unnamed }

const has = ({ flags }: Parsed, names: ReadonlyArray<string>): boolean => names.some((flag) => flags.has(flag))

const everything: Below = { names: [], skips: [], follows: "nothing", splits: false }

/** The last operand is where to; it may be a folder, in which the names of the others appear. */
export const transfer =
  (role: "read" | "tree", moves = false) =>
  (parsed: Parsed, findings: Findings): void => {
    const { flags, operands } = parsed
    const source = has(parsed, keepsLinks) ? "tree" : role
    const isDeep = moves || has(parsed, copiesTrees)
    if (source === "tree") findings.moves("targets")
    const into = [...(flags.get("-t") ?? []), ...(flags.get("--target-directory") ?? [])][0]
    const sources = into === undefined ? operands.slice(0, -1) : operands
    const goal: Word | undefined = into ?? operands.at(-1)
    const isWhole = has(parsed, ["-T", "--no-target-directory"])
    const copied = isDeep ? everything : undefined
    for (const word of sources) {
      findings.target(word, source, copied)
      // What a link names is copied under the name of the link.
      if (isDeep && has(parsed, followsLinks)) findings.target(word, "read", { ...everything, follows: "all" })
    }
    if (goal === undefined) return
    const met = isDeep && !moves ? { ...everything, follows: "files" as const, links: true as const } : undefined
    findings.target(goal, "tree", isWhole ? met : undefined)
    if (isWhole) return
    for (const word of sources) entry(word, goal, findings, met)
  }

/** `met`: a file that is there already is written through its link. */
const entry = (word: Operand, goal: Word, findings: Findings, met?: Below): void => {
  if (goal.text === null) return
  if (word.text === null) return findings.target(word, "tree")
  if (goal.glob || goal.below !== undefined) return findings.target({ ...goal, text: null }, "tree")
  const name = lastName(word.text)
  // What lies in the source appears in the folder itself.
  if (name === "." && met !== undefined) return findings.target(goal, "tree", met)
  if (name === "" || name === "." || name === ".." || word.below !== undefined)
    return findings.target({ ...word, text: null }, "tree")
  if (word.glob) return findings.target({ ...word, text: null, glob: false }, "entry")
  findings.target({ ...word, text: `${goal.text}/${name}` }, "entry", met)
}

/** A repository is lost with its folder. */
const repositories: Below = { ...everything, names: [".git"], skips: ["node_modules/"] }

const removal =
  (role: "tree") =>
  (parsed: Parsed, findings: Findings): void => {
    const { operands } = parsed
    const isDeep = has(parsed, ["-r", "-R", "--recursive"])
    if (operands.length === 0) findings.floor("removal")
    for (const word of operands) {
      findings.target(word, role, isDeep ? repositories : undefined)
      // What holds secrets is seldom kept anywhere else.
      if (isDeep && word.text !== null) findings.target(word, "mention", { ...everything, skips: ["node_modules/"] })
    }
  }

/** The first operand is a mode or an owner. */
const owned = (parsed: Parsed, findings: Findings): void => {
  const { flags, operands } = parsed
  const below = has(parsed, ["-R", "--recursive"]) ? everything : undefined
  const named = flags.has("--reference") || operands[0]?.glob === true ? operands : operands.slice(1)
  for (const word of named) findings.target(word, "tree", below)
}

const linked = ({ flags, operands }: Parsed, findings: Findings): void => {
  const [only] = operands
  findings.moves("targets")
  if (only !== undefined && (operands.length === 1 || only.glob)) {
    // The link appears here, under the name of what it leads to.
    findings.target({ ...only, text: only.text === null || only.glob ? null : lastName(only.text) }, "tree")
  }
  if (flags.has("-s") || flags.has("--symbolic")) {
    // What is written through the link later is written there: a link to the outside changes the outside.
    for (const word of operands.length === 1 ? operands : operands.slice(0, -1)) {
      const climbs = word.text?.split("/").includes("..") === true && !word.text.startsWith("/")
      findings.target(climbs ? { ...word, text: null } : word, "tree")
    }
    findings.target(operands.at(-1), "tree")
    for (const word of operands.slice(0, -1)) entry(word, operands.at(-1) ?? word, findings)
  } else transfer("tree")({ flags, operands }, findings)
}

/** What it makes has the names that the archive says. */
const unpacks = (text: string, index: number): boolean =>
  /^--(?:ext|get)/.test(text) || /^-[A-Za-z]*x/.test(text) || (index === 0 && /^[A-Za-z]*x/.test(text))

/** `-czf archive files`: one plain file is written, and nothing runs but a compressor. */
const isPlainPack = ([first, archive, ...rest]: ReadonlyArray<Word>): boolean =>
  /^-?[cvzjJ]*c[cvzjJ]*f$/.test(first?.text ?? "") &&
  archive !== undefined &&
  rest.length > 0 &&
  [archive, ...rest].every(({ glob, text }) => text !== null && !(glob ? /^[-@*?]/ : /^[-@]/).test(text)) &&
  !archive.glob &&
  archive.text?.includes(":") === false

const packed = ([first, archive, ...rest]: ReadonlyArray<Word>, findings: Findings): void => {
  if (first !== undefined) findings.hazard(first.at, "it packs files", "changes")
  findings.target(archive, "write")
  for (const word of rest) findings.target(word, "read", everything)
}

const tar: Spec = {
  read: (words, findings) => {
    const [first] = words
    const lists = words.some(({ text }) => text !== null && /^(?:-[tvfzjJ]*t[tvfzjJ]*|--list|t[vfzjJ]*)$/.test(text))
    const plainFlags = words.every(
      ({ text }, index) =>
        text !== null && (!text.startsWith("-") || /^(?:-[tvfzjJ]+|--list|--verbose)$/.test(text) || index < 0)
    )
    const dashed = first?.text?.startsWith("-") === true || first?.text === null
    const names = words.filter(({ text }, index) => text === null || (!text.startsWith("-") && (dashed || index > 0)))
    // An archive with a colon lies on another machine.
    const isLocal = names[0]?.text?.includes(":") === false
    if (lists && plainFlags && isLocal && /^-?[tvfzjJ]+$/.test(first?.text ?? "")) {
      findings.target(names[0], "read")
      return
    }
    findings.changes()
    if (isPlainPack(words)) return packed(words, findings)
    findings.moves("anywhere")
    if (words.some(({ text }, index) => text !== null && unpacks(text, index))) findings.floor("unpacking")
    for (const [index, word] of words.entries()) run(word, words[index + 1], findings)
    // The names of what is packed come from a file.
    if (words.some(({ text }) => text !== null && /^(?:-[A-Za-z]*T|--files-f)/.test(text)))
      findings.target(here, "mention", everything)
    for (const word of words.slice(1))
      findings.hazard(word.at, "it packs, unpacks or runs what its archive or flags name")
    if (first !== undefined) findings.hazard(first.at, "it packs, unpacks or runs what its archive or flags name")
    for (const word of names) {
      findings.target(word, "tree")
      // What is packed is read, and may be shown.
      findings.target(word, "read", everything)
    }
    // Names in the archive are taken as they are.
    if (words.some(({ text }) => text !== null && /^(?:-[a-zA-Z]*P|--absolute-names)/.test(text)))
      findings.floor("removal")
    for (const { text, ...word } of words) {
      const value = text?.startsWith("-") === true && text.includes("/") ? text.slice(text.indexOf("/")) : undefined
      if (value !== undefined) findings.target({ ...word, text: value }, "tree")
      const file = /^--(?:ind|listed|vol|ba)[a-z-]*=(.*)$/s.exec(text ?? "")?.[1]
      if (file !== undefined) findings.target({ ...word, text: file }, "tree")
    }
  }
}

/** Flags whose value is a command. */
const runs =
  /^--(?:filter|to-command|use-compress-program|checkpoint-action|rsh|rsync-path|unzip-command|compress-program)(?:=(?:exec=)?(.*))?$/s
const runsNext = /^-(?:e|TT|I)$/

const run = (word: Word, next: Word | undefined, findings: Findings): void => {
  const { text } = word
  if (text === null) return
  const found = runs.exec(text)
  const value =
    found === null
      ? runsNext.test(text)
        ? next
        : undefined
      : found[1] === undefined
        ? next
        : { ...word, text: found[1] }
  if (value !== undefined) findings.script(value)
}

/** Whatever is named may be written. */
const writes = (why: string, more: (texts: ReadonlyArray<string>, findings: Findings) => void): Spec => ({
  read: (words, findings) => {
    findings.changes()
    more(
      words.map(({ text }) => text ?? ""),
      findings
    )
    for (const [index, word] of words.entries()) {
      findings.hazard(word.at, why)
      run(word, words[index + 1], findings)
      const attached = /^-[a-zA-Z]((?:[/~]|\.\.).*)$/s.exec(word.text ?? "")?.[1]
      if (attached !== undefined) findings.target({ ...word, text: attached }, "tree")
      if (word.text?.startsWith("-") !== true) {
        findings.target(word, "tree")
        if (word.text !== null) findings.target(word, "mention", everything)
      } else if (word.text.includes("="))
        findings.target({ ...word, text: word.text.slice(word.text.indexOf("=") + 1) }, "tree")
    }
  }
})

const writing = writes("it writes files that its arguments do not name", (texts, findings) => {
  // zip takes names from its input.
  if (texts.includes("-@")) findings.target(here, "mention", everything)
})

/** Its pieces have names of their own behind a prefix or before an ending that is given. */
const splitting = writes("it writes files that its arguments do not name", (texts, findings) => {
  const operands = texts.filter((text) => !text.startsWith("-"))
  if (operands.length > 1 || texts.some((text) => /^(?:-f|--(?:add|pre|suf))/.test(text))) findings.floor("unpacking")
})

/** It makes what a file says, links included; `lists` only shows it. */
const unpacking = (lists: RegExp): Spec =>
  writes("it writes files that its arguments do not name", (texts, findings) => {
    if (texts.some((text) => lists.test(text))) return
    findings.moves("anywhere")
    findings.floor("unpacking")
  })

const never = /^(?!)/

/** With this flag first, and no other, it shows what is in the archives behind it. */
const listing = (shows: RegExp, spec: Spec): Spec => ({
  read: (words, findings) => {
    const [first, ...archives] = words
    const isShown =
      first?.glob === false &&
      shows.test(first.text ?? "") &&
      archives.length > 0 &&
      archives.every(({ glob, text }) => text !== null && !glob && !/^-|:/.test(text))
    if (!isShown) return spec.read?.(words, findings)
    // Behind the first stand names in the archive.
    findings.target(archives[0], "read")
    for (const word of archives.slice(1)) findings.target(word, "mention")
  }
})

/** What lies in the source appears at the goal, links included. */
const rsync: Spec = {
  read: (words, findings) => {
    writing.read?.(words, findings)
    findings.moves("anywhere")
    const operands = words.filter(({ text }) => text?.startsWith("-") !== true)
    if (words.some(({ text }) => text !== null && /^--(?:del|remove-s|files-from|include-from|backup-d)/.test(text)))
      findings.floor("removal")
    for (const [index, word] of words.entries())
      if (word.text?.startsWith("-") === true) written(word, words[index + 1], findings)
    for (const word of operands.slice(0, -1)) {
      if (word.text?.includes(":") !== false) findings.floor("unpacking")
      findings.target(word, "tree", everything)
    }
  }
}

export const files: Readonly<Record<string, Spec>> = {
  cp: {
    flags:
      "-f -i -n -p -v -u -x -T -L -H -P -r -R -a -d -t> --recursive --force --interactive --no-clobber --verbose --update? --archive --preserve? --no-dereference --dereference --one-file-system --reflink? --target-directory> --no-target-directory",
    operands: transfer("read")
  },
  mv: {
    flags:
      "-f -i -n -v -u -T -t> --force --interactive --no-clobber --verbose --update? --target-directory> --no-target-directory",
    operands: transfer("tree", true)
  },
  install: { flags: "-d -m: -v -D -p -t>", operands: transfer("read") },
  ln: { flags: "-s -f -n -v -T -r --symbolic --force --relative --verbose --no-dereference", operands: linked },
  link: { operands: linked },
  rm: {
    flags: "-r -R -f -i -I -v -d --recursive --force --verbose --dir --interactive? --one-file-system",
    operands: removal("tree")
  },
  rmdir: { flags: "-p -v --ignore-fail-on-non-empty --parents --verbose", operands: removal("tree") },
  ...Object.fromEntries(
    "unlink rimraf srm wipe trash trash-put del".split(" ").map((name) => [name, { operands: removal("tree") }])
  ),
  gio: {
    sub: {
      trash: { named: "it removes files", operands: removal("tree") },
      remove: { named: "it removes files", operands: removal("tree") }
    }
  },
  shred: { flags: "-u -z -n: -f -v", operands: removal("tree") },
  mkdir: { flags: "-p -v -m: --parents --verbose --mode:", operands: "tree" },
  touch: { flags: "-a -m -c -h -d: -t: -r< --no-create --date: --time:", operands: "tree" },
  truncate: { flags: "-s: -c -r< --size: --no-create", operands: "write" },
  tee: { flags: "-a -i -p --append", operands: "write" },
  sponge: { flags: "-a", operands: "write" },
  chmod: { flags: "-R -v -c -f --recursive --verbose --changes --silent --reference<", operands: owned },
  chown: { flags: "-R -v -c -f -h --recursive --verbose", operands: owned },
  chgrp: { flags: "-R -v -c -f -h --recursive", operands: owned },
  patch: unpacking(/^--dry-run$/),
  rsync,
  unzip: listing(/^-[lvqht1]*[lvt][lvqht1]*$/, unpacking(/^-(?:[lpZtvz]+|Z.*)$/)),
  jar: listing(/^-?(?:tv?f|tfv|ft)$/, unpacking(never)),
  zip: writing,
  "7z": unpacking(/^[lt]$/),
  ...Object.fromEntries("7za 7zr bsdtar unrar unar pax ditto".split(" ").map((name) => [name, unpacking(never)])),
  cpio: unpacking(/^-[ot].*$|^--(?:create|list)$/),
  gzip: listing(/^-(?:l|lv|t|tv)$|^--(?:list|test)$/, writing),
  gunzip: writing,
  xz: writing,
  bzip2: writing,
  zstd: writing,
  split: splitting,
  csplit: splitting,
  tar,
  ...disks
}
