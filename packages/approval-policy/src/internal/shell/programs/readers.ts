/** Programs that only read what they are given. */
import { reader, safe } from "../table/rows.ts"
import { type Findings, type Spec, unnamed, type Word } from "../table/spec.ts"

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
  // One word may stand for several: the second of them is then written.
  const isSeveral = first?.glob === true || first?.split === true || first?.below !== undefined
  if (first !== undefined && isSeveral) findings.hazard(first.at, "its second file is written")
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

/** The folder it runs in. */
const here: Word = { text: ".", glob: false, written: ".", at: unnamed }

/** One dash begins a whole name, and what follows the first letters is passed over. */
const dump: Spec = {
  readOnly: true,
  read: (words, findings) => {
    const isValued = ({ text }: Word) => /^-(?:[cgls]|cols|groupsize|len|seek)$/.test(text ?? "")
    let at = 0
    for (; at < words.length; at++) {
      const word = words[at]
      if (word === undefined || word.text === "-" || (word.text !== null && !word.text.startsWith("-"))) break
      const isKnown =
        !word.glob && /^-(?:-|[cgls]\d*|[pbue]|ps|plain|postscript|bits|cols|groupsize|len|seek)$/.test(word.text ?? "")
      const value = isValued(word) ? words[at + 1] : undefined
      // A pattern becomes several words: its value, and files.
      const isOne = value === undefined || (value.text !== null && !value.glob)
      if (isKnown && isOne) findings.neutral(word.at)
      else {
        findings.hazard(word.at, `its flag ${word.text ?? word.written} may write a file`)
        // Whichever words are its files.
        for (const file of words.slice(word.text === null ? at : at + 1)) {
          findings.target(file, "read")
          findings.target(file, "output")
        }
      }
      if (isValued(word)) at++
    }
    intoSecond(words.slice(at), findings)
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
  tail: reader("-# -n: -c: -q -v -z -r -f -F --lines: --bytes: --quiet --verbose", safe),
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
  expr: reader("", { operands: "text" }),
  cal: reader("-1 -3 -y -m -j", { operands: "text" }),
  bc: reader("-l -q -i -w -s --mathlib --quiet", { operands: "read" }),
  zcat: reader("-f -v", { operands: "read" }),
  zipinfo: reader("-1 -2 -s -m -l -v -h -t -z -T", { operands: "read" }),
  sort,
  shuf: reader("-n: -e -i: -r -z"),
  diff: reader(
    "-r --recursive -# -u -U: -c -C: -b -B -w -i -N -a -q -s -y -e -n -E -Z -t -T -p -x: -I: -W: -F: --unified? --context? --brief --new-file --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --side-by-side --color? --text --exclude: --suppress-common-lines --report-identical-files --no-dereference --minimal --width: --strip-trailing-cr",
    {
      // Of folders it compares the files in them.
      operands: ({ flags, operands }, findings) => {
        const follows = flags.has("--no-dereference") ? ("nothing" as const) : ("all" as const)
        const below = { names: [], skips: [], follows, splits: false }
        for (const word of operands) findings.target(word, "read", below)
      }
    }
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
  basename: reader("-a -s: -z --multiple --suffix:", { operands: "text", ...safe }),
  dirname: reader("-z", { operands: "text", ...safe }),
  md5sum: reader("-b -t -z --tag"),
  sha1sum: reader("-b -t -z --tag"),
  sha256sum: reader("-b -t -z --tag"),
  sha512sum: reader("-b -t -z --tag"),
  shasum: reader("-a: -b -t -p"),
  cksum: reader(""),
  pr: reader("-# -t -n -d -m -a -F -T -l: -w: -W: -h: -o:"),
  tsort: reader(""),
  iconv: reader("-f: -t: -c -l -s --from-code: --to-code: --list --silent -o> --output>"),
  base64: reader("-w: -i -d -D --decode --wrap: --ignore-garbage"),
  xxd: dump,
  od: reader("-A: -t: -N: -j: -c -x -b -d -o -v -w: -An -tx1"),
  hexdump: reader("-C -n: -s: -v -b -c -d -o -x"),
  strings: reader("-a -n: -t: -e: -o", {
    operands: ({ operands }, findings) => {
      for (const word of operands) {
        findings.target(word, "read")
        if (word.text?.startsWith("@") !== true) continue
        findings.changes()
        findings.hazard(word.at, "its arguments come from a file")
        findings.target(here, "mention", { names: [], skips: [], follows: "files", splits: false })
      }
    }
  }),
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
