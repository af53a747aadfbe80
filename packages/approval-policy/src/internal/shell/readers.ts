/** Programs that only read what they are given. */
import { isAwkFilter, isStreamOnly } from "./sed.ts"
import { type Findings, type Parsed, type Spec, unnamed, type Word } from "./spec.ts"

const reader = (flags: string, more: Partial<Spec> = {}): Spec => ({ flags, readOnly: true, ...more })
const safe = { anyName: true } as const

/** The first operand is a pattern, unless a flag gave one. */
const patternFirst =
  (patternFlags: ReadonlyArray<string>) =>
  ({ flags, operands }: Parsed, findings: Findings): void => {
    const given = patternFlags.some((flag) => flags.has(flag))
    // A glob may become more than one word, so that some of them are files.
    for (const word of given || operands[0]?.glob === true ? operands : operands.slice(1)) findings.target(word, "read")
  }

/** Without a file it reads the folder it runs in. */
const here: Word = { text: ".", glob: false, written: ".", at: unnamed }

/** As `patternFirst`, of a program that reads folders as a whole. */
const patternInFolders =
  (patternFlags: ReadonlyArray<string>, recursive: ReadonlyArray<string>) =>
  (parsed: Parsed, findings: Findings): void => {
    const { flags, operands } = parsed
    const files = operands.length - (patternFlags.some((flag) => flags.has(flag)) ? 0 : 1)
    if (files < 1 && (recursive.length === 0 || recursive.some((flag) => flags.has(flag))))
      findings.target(here, "read")
    patternFirst(patternFlags)(parsed, findings)
  }

const grep = reader(
  "-# -a -b -c -E -F -G -P -H -h -i -y -I -L -l -n -o -q -r -s -U -v -w -x -z -Z -T -e: -f< -m: -A: -B: -C: -d: -D: --include: --exclude: --exclude-dir: --exclude-from< --color? --colour? --recursive --ignore-case --no-ignore-case --line-number --files-with-matches --files-without-match --count --word-regexp --line-regexp --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp: --file< --max-count: --invert-match --only-matching --quiet --silent --no-messages --with-filename --no-filename --byte-offset --text --binary-files: --null --null-data --after-context: --before-context: --context: --line-buffered --initial-tab --label: --version --help",
  { operands: patternInFolders(["-e", "-f", "--regexp", "--file"], ["-r", "--recursive"]), ...safe }
)

/** `--pre`, `--hostname-bin` and `-z` run programs; `--follow` and ignore files lead elsewhere. */
const rg = reader(
  "-# -a -b -c -F -H -I -i -l -n -N -o -p -P -q -s -S -U -u -uu -v -w -x -0 -. -e: -f< -g: -t: -T: -m: -A: -B: -C: -d: -M: -r: -j: -E: --hidden --no-hidden --no-ignore --no-ignore-vcs --files --type: --type-not: --glob: --iglob: --sort: --sortr: --json --color: --colors: --heading --no-heading --vimgrep --column --no-column --count --count-matches --fixed-strings --files-with-matches --files-without-match --ignore-case --smart-case --case-sensitive --line-number --no-line-number --max-count: --max-depth: --max-columns: --max-filesize: --multiline --multiline-dotall --no-config --no-filename --with-filename --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet --regexp: --replace: --stats --text --trim --type-list --version --help --word-regexp --invert-match --after-context: --before-context: --context: --unrestricted --one-file-system --crlf --debug --engine: --line-regexp --path-separator: --context-separator: --threads: --binary --no-binary",
  {
    operands: (parsed, findings) =>
      patternInFolders(
        parsed.flags.has("--files") || parsed.flags.has("--type-list")
          ? ["--files", "--type-list"]
          : ["-e", "-f", "--regexp"],
        []
      )(parsed, findings)
  }
)

const fd = reader(
  "-# -H -I -u -s -i -g -F -a -p -0 -1 -q -c: -d: -t: -e: -E: -S: -j: --hidden --no-ignore --no-ignore-vcs --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --full-path --max-depth: --min-depth: --exact-depth: --type: --extension: --exclude: --size: --changed-within: --changed-before: --color: --print0 --max-results: --quiet --version --help --prune",
  {
    operands: ({ operands }, findings) => {
      for (const word of operands[0]?.glob === true ? operands : operands.slice(1)) findings.target(word, "read")
    }
  }
)

const scripts = (
  parsed: Parsed,
  flags: ReadonlyArray<string>
): readonly [ReadonlyArray<Word | undefined>, ReadonlyArray<Word>] => {
  const given = flags.flatMap((flag) => parsed.flags.get(flag) ?? [])
  return given.length > 0 ? [given, parsed.operands] : [parsed.operands.slice(0, 1), parsed.operands.slice(1)]
}

/** Each piece of a script may be the name of a file. */
const pieces = (word: Word, findings: Findings): void => {
  for (const piece of word.text?.split(/[\s;"']+/).slice(1) ?? []) findings.target({ ...word, text: piece }, "tree")
}

const judged =
  (isHarmless: (script: string) => boolean, what: string, flags: ReadonlyArray<string>) =>
  (parsed: Parsed, findings: Findings): void => {
    const [texts, files] = scripts(parsed, flags)
    for (const word of texts) {
      if (word === undefined || (word.text !== null && !word.glob && isHarmless(word.text))) continue
      findings.changes()
      findings.hazard(word.at, `its script may ${what}`)
      if (word.text !== null && /[wW]/.test(word.text) && flags.length > 0) pieces(word, findings)
    }
    for (const word of files) findings.target(word, "read")
  }

const sedReads = judged(isStreamOnly, "run a program or write a file", ["-e", "--expression"])

const sed: Spec = {
  flags:
    "-n -E -r -s -u -z -e: --expression: --quiet --silent --regexp-extended --separate --unbuffered --null-data --version --help",
  readOnly: true,
  operands: sedReads
}

const inPlace = /^(?:-[a-zA-Z]*i.*|--in-place.*)$/

/** With `-i` the files are written. */
const editing: Spec = {
  read: (words, findings) => {
    findings.changes()
    for (const word of words) findings.hazard(word.at, "it changes the files in place")
    for (const word of words) if (word.text?.startsWith("-") !== true) findings.target(word, "tree")
  }
}

const awk = reader("-F: -v: --version", { operands: judged(isAwkFilter, "run a program, or open other files", []) })

/** `-v` evaluates an index, and with it a substitution. */
const tests = new Set(
  "-e -f -d -s -r -w -x -z -n -L -h -p -S -b -c -nt -ot -ef = == != -eq -ne -gt -ge -lt -le ! -a -o ( ) < > \\< \\> ]".split(
    " "
  )
)

const test: Spec = {
  readOnly: true,
  read: (words, findings) => {
    for (const word of words) {
      if (word.text === null || word.glob) findings.hazard(word.at, `what ${word.written} stands for is not known`)
      else if (word.text.startsWith("-") && !tests.has(word.text) && !/^-\d+$/.test(word.text)) {
        findings.hazard(word.at, `the test ${word.text} may evaluate what it is given`)
      } else if (!tests.has(word.text)) findings.target(word, "mention")
    }
  }
}

/** A first file to read, and a second one to write, which a glob may name as well. */
const intoSecond = ([first, second]: ReadonlyArray<Word>, findings: Findings): void => {
  findings.target(first, "read")
  if (first?.glob === true) findings.hazard(first.at, "its second file is written")
  if (second === undefined) return
  findings.hazard(second.at, "its second file is written")
  findings.target(second, "write")
}

const said: Spec = {
  readOnly: true,
  read: (words, findings) => {
    // A pattern shows the names that it matches.
    for (const word of words) if (word.text === null || word.glob) findings.target(word, "mention")
  }
}

const printf: Spec = {
  readOnly: true,
  read: (words, findings) => {
    const [first] = words
    if (first !== undefined && (first.text === null || /^-./.test(first.text) || first.glob)) {
      findings.hazard(first.at, "its flag may set a variable")
    }
    for (const word of words) if (word.glob) findings.target(word, "mention")
  }
}

const anything: Spec = { readOnly: true, read: () => undefined }

const cd: Spec = {
  read: (words, findings) => {
    const [first] = words
    findings.target(first, "read")
    if (
      words.length !== 1 ||
      first?.text === undefined ||
      first.text === null ||
      /^[-+]/.test(first.text) ||
      first.text === ""
    ) {
      findings.hazard(unnamed, "where it leads is not known")
    }
  }
}

const sort = reader(
  "-# -b -d -f -g -i -M -h -n -R -r -V -k: -t: -u -s -z -c -C -m --unique --reverse --numeric-sort --human-numeric-sort --general-numeric-sort --version-sort --ignore-case --key: --field-separator: --stable --zero-terminated --check? --merge --random-sort --month-sort --parallel:"
)

export const readers: Readonly<Record<string, Spec>> = {
  ls: reader(
    "-1 -a -A -l -h -r -t -S -R -F -d -k -i -s -c -g -G -n -o -p -q -x -X -C -m -N -Q -B -b -U -u -f -v -L -H -Z -w: -I: -T: --all --almost-all --color? --human-readable --recursive --reverse --sort: --time: --time-style: --group-directories-first --directory --classify? --full-time --size --inode --ignore: --hide: --width: --format: --no-group --numeric-uid-gid --version --help",
    safe
  ),
  cat: reader(
    "-n -A -b -e -E -s -t -T -u -v --number --show-all --number-nonblank --show-ends --squeeze-blank --show-tabs --show-nonprinting",
    safe
  ),
  tac: reader("-b -r -s:", safe),
  nl: reader("-b: -n: -w: -s: -v: -i: -h: -f: -d: -l: -p", safe),
  head: reader("-# -n: -c: -q -v -z --lines: --bytes: --quiet --verbose", safe),
  tail: reader("-# -n: -c: -q -v -z -r --lines: --bytes: --quiet --verbose", safe),
  wc: reader("-l -w -c -m -L --lines --words --bytes --chars --max-line-length --total:", safe),
  uniq: reader("-c -d -D -i -u -z -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars:", {
    operands: ({ operands }, findings) => {
      intoSecond(operands, findings)
    }
  }),
  cut: reader(
    "-b: -c: -d: -f: -s -z -n --bytes: --characters: --delimiter: --fields: --only-delimited --complement --output-delimiter:",
    safe
  ),
  paste: reader("-d: -s -z --delimiters: --serial", safe),
  join: reader("-1: -2: -a: -e: -i -j: -o: -t: -v: -z --header", safe),
  comm: reader("-1 -2 -3 -12 -23 -13 -123 -z --check-order --nocheck-order --output-delimiter: --total", safe),
  column: reader("-t -s: -n -x -c: -o: -N: -R:", safe),
  fold: reader("-b -s -w:", safe),
  fmt: reader("-w: -u -s -t -c -p:", safe),
  expand: reader("-i -t:", safe),
  unexpand: reader("-a -t: --first-only", safe),
  rev: reader("", safe),
  tr: reader("-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", { operands: "text" }),
  seq: reader("-f: -s: -w", { operands: "text" }),
  sort,
  shuf: reader("-n: -e -i: -r -z", safe),
  grep,
  egrep: grep,
  fgrep: grep,
  rg,
  fd,
  fdfind: fd,
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  jq: reader(
    "-r -c -n -e -s -S -M -C -a -j -R -rc -cr --raw-output --compact-output --null-input --slurp --sort-keys --tab --indent: --exit-status --join-output --ascii-output --raw-input --color-output --monochrome-output",
    {
      operands: ({ operands }, findings) => {
        const [filter, ...rest] = operands
        if (
          filter?.text === null ||
          /\b(?:import|include|input_filename|modulemeta|env|\$ENV)\b|\$ENV|\$__prog/.test(filter?.text ?? "")
        ) {
          findings.hazard(filter?.at ?? 0, "its filter may load other files or show the environment")
        }
        for (const word of rest) findings.target(word, "read")
      }
    }
  ),
  diff: reader(
    "-# -u -U: -c -C: -b -B -w -i -N -a -q -s -y -e -n -E -Z -t -T -p -x: -I: -W: -F: --unified? --context? --brief --new-file --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --side-by-side --color? --text --exclude: --suppress-common-lines --report-identical-files --no-dereference --minimal --width: --strip-trailing-cr"
  ),
  cmp: reader("-b -l -s -n: -i: --silent --quiet --verbose --print-bytes"),
  stat: reader("-c: -f -L -t --format: --printf: --terse --dereference --file-system", safe),
  file: reader("-b -i -L -h -k -N -r --brief --mime --mime-type --mime-encoding --dereference"),
  du: reader(
    "-# -s -h -a -c -d: -k -m -b -x -S -L -0 --summarize --human-readable --all --total --max-depth: --apparent-size --exclude: --time? --si --bytes --one-file-system",
    safe
  ),
  df: reader("-h -H -k -m -T -i -l -P -t: -a --human-readable --total --output? --local", safe),
  tree: reader(
    "-a -d -f -i -L: -I: -P: -h -s -D -F -C -n -p -u -g -J -X -r -t --dirsfirst --noreport --gitignore --prune --filelimit: --du --sort?"
  ),
  realpath: reader(
    "-e -m -s -q -z -L -P --relative-to: --relative-base: --canonicalize-existing --canonicalize-missing --no-symlinks",
    safe
  ),
  readlink: reader("-f -e -m -n -q -v -z --canonicalize", safe),
  basename: reader("-a -s: -z --multiple --suffix:", { operands: "text" }),
  dirname: reader("-z", { operands: "text" }),
  md5sum: reader("-b -t -z --tag"),
  sha1sum: reader("-b -t -z --tag"),
  sha256sum: reader("-b -t -z --tag"),
  sha512sum: reader("-b -t -z --tag"),
  shasum: reader("-a: -b -t -p"),
  cksum: reader(""),
  base64: reader("-w: -i -d -D --decode --wrap: --ignore-garbage"),
  xxd: reader("-# -l: -s: -c: -g: -p -u -b -e", {
    operands: ({ operands }, findings) => {
      intoSecond(operands, findings)
    }
  }),
  od: reader("-A: -t: -N: -j: -c -x -b -d -o -v -w: -An -tx1"),
  hexdump: reader("-C -n: -s: -v -b -c -d -o -x"),
  strings: reader("-a -n: -t: -e: -o"),
  pwd: reader("-L -P", { operands: "text" }),
  date: reader("-u -R -I? -d: --utc --iso-8601? --rfc-3339: --date: --rfc-email -r<", {
    operands: ({ operands }, findings) => {
      for (const word of operands)
        if (word.text?.startsWith("+") !== true) findings.hazard(word.at, "it may set the clock")
    }
  }),
  whoami: reader("", { operands: "text" }),
  id: reader("-u -g -n -G -r -un -gn", { operands: "text" }),
  hostname: reader("-s -f -i -I -d", {
    operands: ({ operands }, findings) => {
      for (const word of operands) findings.hazard(word.at, "it may set the name of the machine")
    }
  }),
  uname: reader("-a -s -n -r -v -m -p -i -o", { operands: "text" }),
  arch: reader(""),
  nproc: reader("--all --ignore:"),
  uptime: reader("-p -s"),
  free: reader("-h -m -g -k -b -t -w"),
  ps: reader("-e -f -A -a -u: -x -o: -p: -C: -l -w -ef -eo: --sort: --no-headers --forest --pid: --ppid:", {
    operands: ({ operands }, findings) => {
      for (const word of operands)
        if (!/^(?:[acfhjlrTuvwx]+|\d+)$/.test(word.text ?? ""))
          findings.hazard(word.at, "it may show the environment of other processes")
    }
  }),
  pgrep: reader("-f -l -a -u: -x -n -o -c -i", { operands: "text" }),
  lsof: reader("-i? -n -P -t -p: -u: -c: -a"),
  which: reader("-a", { operands: "text" }),
  type: reader("-t -a -p -P -f", { operands: "text" }),
  whereis: reader("-b -m -s", { operands: "text" }),
  locale: reader("-a -m", { operands: "text" }),
  sleep: reader("", { operands: "text" }),
  true: anything,
  false: anything,
  ":": said,
  exit: said,
  echo: said,
  printf,
  test,
  "[": test,
  cd
}

/** Some programs change what they are by a flag. */
export const variant = (name: string, words: ReadonlyArray<Word>): Spec | undefined =>
  /^g?sed$/.test(name) && words.some(({ text }) => text !== null && inPlace.test(text)) ? editing : undefined
