/** grep and its kin: a pattern, then files or folders. */
import { reader, safe } from "./rows.ts"
import { type Findings, type Parsed, type Spec, unnamed, type Word } from "./spec.ts"

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

export const search: Readonly<Record<string, Spec>> = { grep, egrep: grep, fgrep: grep, rg, fd, fdfind: fd }
