/** Programs that copy, move, make and remove files. */
import type { Below } from "../../../CommandReading.ts"
import { archives } from "./archives.ts"
import { disks } from "./disks.ts"
import { everything, type Findings, type Operand, type Parsed, type Spec, type Word } from "../table/spec.ts"

const lastName = (text: string): string => text.replace(/\/+$/, "").split("/").at(-1) ?? ""

/** With these a link is copied as one, and leads where it led. */
const keepsLinks = ["-r", "-R", "-a", "-d", "-P", "--recursive", "--archive", "--no-dereference"]
const copiesTrees = ["-r", "-R", "-a", "--recursive", "--archive"]
const followsLinks = ["-L", "-H", "--dereference"]

const has = ({ flags }: Parsed, names: ReadonlyArray<string>): boolean => names.some((flag) => flags.has(flag))

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
  ...archives,
  ...disks
}
