/** curl and wget: what they send of files, and where they write. */
import { written } from "../table/flags.ts"
import type { Findings, Parsed, Spec, Word } from "../table/spec.ts"

const url = /^https?:\/\//

/** Flags whose value names a file, by what becomes of it. */
interface Files {
  readonly write: RegExp
  readonly tree: RegExp
  readonly read: RegExp
  /** A file behind `@` or `<`. */
  readonly sent: RegExp
  /** One letter, with a value behind it or in the next word. */
  readonly valued: string
}

const role = (flag: string, files: Files) =>
  files.write.test(flag)
    ? ("write" as const)
    : files.tree.test(flag)
      ? ("tree" as const)
      : files.read.test(flag)
        ? ("read" as const)
        : undefined

const noted = (flag: string, value: Word | undefined, files: Files, findings: Findings): void => {
  if (value === undefined) return
  const found = role(flag, files)
  if (found !== undefined && value.text !== "-") findings.target(value, found)
  const sent = files.sent.test(flag) ? /[@<]([^;]*)/.exec(value.text ?? "")?.[1] : undefined
  if (sent !== undefined) findings.target({ ...value, text: sent }, "read")
}

/** Each flag with its value, as getopt reads them: also those that no rule covers. */
const flagged = (words: ReadonlyArray<Word>, files: Files, findings: Findings): void => {
  for (const [index, word] of words.entries()) {
    const { text } = word
    if (text === null || !/^-./.test(text)) continue
    if (text.startsWith("--")) {
      const equals = text.indexOf("=")
      if (equals < 0) noted(text, words[index + 1], files, findings)
      else noted(text.slice(0, equals), { ...word, text: text.slice(equals + 1) }, files, findings)
      continue
    }
    const at = text.split("").findIndex((letter, place) => place > 0 && files.valued.includes(letter))
    if (at < 0) continue
    const rest = text.slice(at + 1).replace(/^=/, "")
    noted(`-${text[at]}`, rest === "" ? words[index + 1] : { ...word, text: rest }, files, findings)
  }
}

const curlFiles: Files = {
  write:
    /^(?:-o|--output|-c|--cookie-jar|-D|--dump-header|--etag-save|--trace|--trace-ascii|--stderr|--libcurl|--hsts|--alt-svc)$/,
  tree: /^--output-dir$/,
  read: /^(?:-T|--upload-file|-K|--config|-b|--cookie|--netrc-file|-E|--cert|--key|--cacert|--etag-compare|--proxy-cert|--proxy-key)$/,
  sent: /^(?:-d|-F|-H|-w|--data.*|--json|--form.*|--header|--proxy-header|--write-out)$/,
  valued: "AbcCdDeEFhHKmoPQrtTuUwxXyYz"
}

const isFile = (name: string, text: string): boolean =>
  text.startsWith("@") ||
  (name === "--data-urlencode" && text.includes("@")) ||
  text.includes("%output") ||
  text.includes("%{stderr")

const isOutput = /^(?:-o|--output)$/

const curled = ({ flags, operands }: Parsed, findings: Findings): void => {
  for (const [name, values] of flags) {
    for (const value of values) {
      const isLost = value?.text === "/dev/null"
      if (value !== undefined && (isFile(name, value.text ?? "") || (isOutput.test(name) && !isLost)))
        findings.hazard(value.at, "its value names a file")
    }
  }
  for (const word of operands) {
    if (word.text === null || !url.test(word.text))
      findings.hazard(word.at, "its address is not a plain http or https address")
  }
}

const lastName = (text: string): string =>
  text
    .replace(/[?#].*$/s, "")
    .split("/")
    .at(-1) ?? ""

/** With these it writes a file of the name that the address or the other side gives it. */
const named = (words: ReadonlyArray<Word>, findings: Findings): void => {
  const flags = words.flatMap(({ text }) => (text?.startsWith("-") === true ? [text] : []))
  const isTheirs = flags.some((flag) => /^(?:-[A-Za-z]*J|--remote-h)/.test(flag))
  if (!isTheirs && !flags.some((flag) => /^(?:-[A-Za-z]*O|--remote-n)/.test(flag))) return
  for (const word of words.filter(({ text }) => text?.startsWith("-") !== true))
    findings.target({ ...word, text: isTheirs || word.text === null ? null : lastName(word.text) }, "write")
}

/** An address of this form is a file of this machine. */
const local = (words: ReadonlyArray<Word>, findings: Findings): void => {
  for (const word of words) {
    const path = /^(?:--url=)?file:(?:\/\/[^/]*)?(\/.*)$/is.exec(word.text ?? "")?.[1]
    if (path === undefined) continue
    const plain = path.replace(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16))
    )
    findings.target({ ...word, text: plain }, "read")
  }
}

const curl: Spec = {
  flags:
    "-s -S -f -i -I -v -L -k -g -G -# -sS -fsS -fsSL -sSL -X: -H: -d: -A: -e: -m: -w: -r: -x: --silent --show-error --fail --include --head --verbose --location --insecure --get --compressed --request: --header: --data: --data-raw: --data-urlencode: --json: --user-agent: --max-time: --connect-timeout: --retry: --retry-delay: --http1.1 --http2 -4 -6 --range: --write-out: --no-progress-meter --fail-with-body -N --no-buffer -o: --output:",
  always: (words, findings) => {
    flagged(words, curlFiles, findings)
    named(words, findings)
    local(words, findings)
  },
  operands: curled
}

const wgetFiles: Files = {
  write: /^(?:-O|--output-document|-o|--output-file|-a|--append-output|--save-cookies)$/,
  tree: /^(?:-P|--directory-prefix)$/,
  read: /^(?:-i|--input-file|--post-file|--body-file|--load-cookies|--certificate|--private-key|--config)$/,
  sent: /^$/,
  valued: "OPoaietTwlARDIXUBQ"
}

const wget: Spec = {
  read: (words, findings) => {
    findings.changes()
    for (const [index, word] of words.entries()) {
      findings.hazard(word.at, "it writes a file that the other side names")
      if (word.text?.startsWith("-") === true) written(word, words[index + 1], findings)
    }
    flagged(words, wgetFiles, findings)
    const flags = words.flatMap(({ text }) => (text?.startsWith("-") === true ? [text] : []))
    // A whole site has names of its own.
    const isTheirs = flags.some((flag) => /^(?:-[A-Za-z]*[rmpi]|--(?:rec|mir|page|inp|cont|trust))/.test(flag))
    for (const word of words.filter(({ text }) => url.test(text ?? "")))
      findings.target(
        { ...word, text: isTheirs || word.text === null ? null : lastName(word.text) || "index.html" },
        "write"
      )
  }
}

export const transfers: Readonly<Record<string, Spec>> = { curl, wget }
