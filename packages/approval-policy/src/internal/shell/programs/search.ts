/** grep and its kin: a pattern, then files or folders. */
import type { Below } from "../../../CommandReading.ts"
import { reader, safe } from "../table/rows.ts"
import { type Parsed, type Spec, unnamed, type Word } from "../table/spec.ts"

/** The files behind the pattern, which is the first operand unless a flag gave one. */
const filesOf = ({ flags, operands }: Parsed, patternFlags: ReadonlyArray<string>): ReadonlyArray<Word> => {
  const given = patternFlags.some((flag) => flags.has(flag))
  // A glob may become more than one word, so that some of them are files.
  return given || operands[0]?.glob === true ? operands : operands.slice(1)
}

/** Without a file it reads the folder it runs in. */
const here: Word = { text: ".", glob: false, written: ".", at: unnamed }

const texts = ({ flags }: Parsed, ...names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names
    .flatMap((name) => flags.get(name) ?? [])
    .filter((word) => word?.glob !== true)
    .flatMap((word) => word?.text ?? [])

/** Of names that the shell makes of a pattern it is known how they end, and nothing else. */
const included = ({ flags }: Parsed): ReadonlyArray<string> =>
  (flags.get("--include") ?? []).map((word) =>
    word?.text == null || (word.glob && !/^\*[\w.-]+$/.test(word.text)) ? "/" : word.text
  )

/** The name of a file or folder, with `*` and `?`. */
const simple = /^[^[\]{}\\/!]+$/

/** Patterns that all have to be understood, or none counts. */
const only = (patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  patterns.every((pattern) => simple.test(pattern)) ? patterns : []

const left = (patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  patterns.map((pattern) => pattern.replace(/\/+$/, "")).filter((pattern) => simple.test(pattern))

const folders = (names: ReadonlyArray<string>): ReadonlyArray<string> => names.map((name) => `${name}/`)

const places = ({ flags }: Parsed, name: string): ReadonlyArray<number> =>
  (flags.get(name) ?? []).flatMap((word) => word?.at ?? [])

/** Links below a folder are not followed. Of what is in and out the last word counts; the first says what the rest is. */
const grepped = (parsed: Parsed): Below => {
  const ins = places(parsed, "--include")
  const outs = places(parsed, "--exclude")
  const isOnly = outs.every((at) => ins.some((included) => included < at))
  const isLeft = ins.every((at) => outs.every((excluded) => at < excluded))
  return {
    names: isOnly ? only(included(parsed)) : [],
    skips: [...(isLeft ? left(texts(parsed, "--exclude")) : []), ...folders(left(texts(parsed, "--exclude-dir")))],
    follows: ["-R", "--dereference-recursive"].some((flag) => parsed.flags.has(flag)) ? "all" : "nothing",
    splits: false
  }
}

const recursive = (parsed: Parsed): boolean =>
  ["-r", "-R", "--recursive", "--dereference-recursive"].some((flag) => parsed.flags.has(flag)) ||
  texts(parsed, "-d", "--directories").some((value) => value !== "read" && value !== "skip")

const grep = reader(
  "-# -a -b -c -E -F -G -P -H -h -i -y -I -L -l -n -o -q -r -R -s -U -v -w -x -z -Z -T -e: -f< -m: -A: -B: -C: -d: -D: --include: --exclude: --exclude-dir: --exclude-from< --color? --colour? --recursive --dereference-recursive --directories: --ignore-case --no-ignore-case --line-number --files-with-matches --files-without-match --count --word-regexp --line-regexp --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp: --file< --max-count: --invert-match --only-matching --quiet --silent --no-messages --with-filename --no-filename --byte-offset --text --binary-files: --null --null-data --after-context: --before-context: --context: --line-buffered --initial-tab --label: --version --help",
  {
    operands: (parsed, findings) => {
      const files = filesOf(parsed, ["-e", "-f", "--regexp", "--file"])
      const isDeep = recursive(parsed)
      const below = isDeep ? grepped(parsed) : undefined
      if (isDeep && files.length === 0) findings.target(here, "read", below)
      for (const word of files) findings.target(word, "read", below)
    },
    ...safe
  }
)

/** Hidden names are left out, unless a flag says otherwise; links below a folder are not followed. */
const searched = (parsed: Parsed): Below => {
  const globs = texts(parsed, "-g", "--glob", "--iglob")
  const hidden = ["--hidden", "-.", "-u", "-uu", "--unrestricted", "--no-ignore"].some((flag) => parsed.flags.has(flag))
  const ordered = ["-g", "--glob", "--iglob"]
    .flatMap((name) => parsed.flags.get(name) ?? [])
    .flatMap((word) => (word === undefined ? [] : [word]))
    .toSorted((first, second) => first.at - second.at)
    .map(({ text }) => text ?? "")
  // The last glob that fits counts: what follows brings back what an earlier one leaves out.
  const last = ordered.findLastIndex((glob) => !glob.startsWith("!"))
  const excluded = left(ordered.slice(last + 1).map((glob) => glob.slice(1)))
  const skips = [...(hidden || globs.length > 0 ? [] : [".*"]), ...excluded]
  return {
    names: only(globs.filter((glob) => !glob.startsWith("!"))),
    skips: [...skips, ...folders(skips)],
    follows: "nothing",
    splits: false
  }
}

/** `--pre`, `--hostname-bin` and `-z` run programs; `--follow` and ignore files lead elsewhere. */
const rg = reader(
  "-# -a -b -c -F -H -I -i -l -n -N -o -p -P -q -s -S -U -u -uu -v -w -x -0 -. -e: -f< -g: -t: -T: -m: -A: -B: -C: -d: -M: -r: -j: -E: --hidden --no-hidden --no-ignore --no-ignore-vcs --files --type: --type-not: --glob: --iglob: --sort: --sortr: --json --color: --colors: --heading --no-heading --vimgrep --column --no-column --count --count-matches --fixed-strings --files-with-matches --files-without-match --ignore-case --smart-case --case-sensitive --line-number --no-line-number --max-count: --max-depth: --max-columns: --max-filesize: --multiline --multiline-dotall --no-config --no-filename --with-filename --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet --regexp: --replace: --stats --text --trim --type-list --version --help --word-regexp --invert-match --after-context: --before-context: --context: --unrestricted --one-file-system --crlf --debug --engine: --line-regexp --path-separator: --context-separator: --threads: --binary --no-binary",
  {
    operands: (parsed, findings) => {
      const lists = ["--files", "--type-list"].some((flag) => parsed.flags.has(flag))
      const files = filesOf(parsed, lists ? ["--files", "--type-list"] : ["-e", "-f", "--regexp"])
      const below = lists ? undefined : searched(parsed)
      if (files.length === 0) findings.target(here, "read", below)
      for (const word of files) findings.target(word, "read", below)
    }
  }
)

const fd = reader(
  "-# -H -I -u -s -i -g -F -a -p -0 -1 -q -c: -d: -t: -e: -E: -S: -j: --hidden --no-ignore --no-ignore-vcs --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --full-path --max-depth: --min-depth: --exact-depth: --type: --extension: --exclude: --size: --changed-within: --changed-before: --color: --print0 --max-results: --quiet --version --help --prune",
  {
    operands: ({ operands }, findings) => {
      for (const word of operands[0]?.glob === true ? operands : operands.slice(1)) findings.target(word, "read")
    },
    always: (words, findings) => {
      const at = words.findIndex(({ text }) => text !== null && /^(?:-[A-Za-z]*[xX]|--exec.*)$/.test(text))
      if (at < 0) return
      const found: Word = { ...here, below: everything }
      const rest = words.slice(at + 1)
      const isOpen = !rest.some(({ text }) => text?.includes("{") === true)
      // Its places stand for the whole name or for a part of it.
      const filled = rest.map((word) =>
        word.text === "{}" ? found : word.text?.includes("{") === true ? { ...word, text: null } : word
      )
      findings.inner(isOpen ? [...filled, found] : filled)
    }
  }
)

const everything: Below = { names: [], skips: [], follows: "all", splits: false }

/** Others of the kind: of their flags nothing is known, and folders are read as a whole. */
const others: Spec = {
  operands: ({ operands }, findings) => {
    for (const word of operands.length < 2 ? [here] : operands) findings.target(word, "read", everything)
  }
}

const names = "rgrep ag ack ack-grep ugrep ug pt sift zgrep zegrep zfgrep bzgrep xzgrep zstdgrep pcregrep pcre2grep"

export const search: Readonly<Record<string, Spec>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  rg,
  fd,
  fdfind: fd,
  ...Object.fromEntries(names.split(" ").map((name) => [name, others]))
}
