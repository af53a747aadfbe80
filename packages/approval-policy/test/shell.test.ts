/** The wrapper around the grammar: what it calls plain is all there is, and words are what bash makes of them. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "@belay/approval-policy/shell"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const one = <const T>(...items: readonly [T, ...Array<T>]): Arbitrary.Arbitrary<T> =>
  Arbitrary.map(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: items.length - 1 }))),
    (at) => items[at] ?? items[0]
  )
const runs = { arbitrary: { runs: 2000 } }

const letters = "abcXYZ019 _-./@%+,:=~#!$&*()[]{}|;<>?^\"'`\\éß漢"
const letter = Arbitrary.map(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: letters.length - 1 }))),
  (at) => letters[at] ?? "a"
)
const text = Arbitrary.map(Arbitrary.array(letter, { maxLength: 12 }), (chars) => chars.join(""))

/** Spellings of one word. Sources: https://www.gnu.org/software/bash/manual/html_node/Quoting.html */
const spellings: ReadonlyArray<(word: string) => string> = [
  (word) => `'${word.replaceAll("'", "'\\''")}'`,
  (word) => `"${word.replace(/["\\$`]/g, "\\$&")}"`,
  (word) => (word === "" ? "''" : word.replace(/[^\p{L}\p{N}]/gu, "\\$&")),
  (word) => (/^[ -~]*$/.test(word) ? `$'${word.replace(/['\\]/g, "\\$&")}'` : `'${word.replaceAll("'", "'\\''")}'`),
  (word) => Array.from(word, (char) => (char === "'" ? '"\'"' : `'${char}'`)).join("") || '""'
]
const spelled = Arbitrary.map(Arbitrary.all([text, one(0, 1, 2, 3, 4)]), ([word, style]) => ({
  word,
  written: spellings[style]?.(word) ?? ""
}))

const argvs = (line: string) => read(line).actions.map(({ argv }) => argv)

describe("the reading of a command", () => {
  it.prop(
    "gives back the words that were written, in any quotes",
    [Arbitrary.array(spelled, { maxLength: 4 })],
    ([words]) => {
      const line = ["prog", ...words.map(({ written }) => written)].join(" ")
      const reading = read(line)
      assert.deepStrictEqual(
        [reading.form, reading.actions[0]?.argv],
        ["plain", ["prog", ...words.map(({ word }) => word)]],
        line
      )
    },
    runs
  )

  it.prop(
    "never throws, and what is not plain says why",
    [text, text, one(" ", ";", "|", "\n", " $(", "<<E\n")],
    ([left, right, between]) => {
      const { form, why } = read(left + between + right)
      return (form === "plain") === (why === "")
    },
    runs
  )

  it.prop(
    "no program and no file that joins a plain line stays unseen",
    [
      spelled,
      one("; ", " && ", " || ", " | ", "\n", " |& "),
      one("touch x", "t''ouch x", "$'touch' 'x'", '\\touch "x"')
    ],
    ([{ written }, operator, other]) => {
      const reading = read(`prog ${written}${operator}${other}`)
      // A backslash at the end of a line is not trusted, whatever stands before it.
      if (written.endsWith("\\") && operator === "\n") return reading.form === "unreadable"
      assert.deepStrictEqual(reading.actions[1]?.argv, ["touch", "x"])
      assert.deepStrictEqual(
        reading.targets.filter(({ role }) => role === "tree").map(({ path }) => path),
        ["x"]
      )
      return true
    },
    runs
  )

  it.prop(
    "a redirection is a write to the word behind it, wherever it stands",
    [spelled, one(">", ">>", ">|", "2>", "&>", "<>", "> ", "&>> "), one(0, 1, 2)],
    ([{ word, written }, operator, place]) => {
      if (word === "") return true
      const line =
        [`${operator}${written} prog a`, `prog ${operator}${written} a`, `prog a ${operator}${written}`][place] ?? ""
      const reading = read(line)
      return (
        reading.form === "plain" &&
        reading.targets.some(({ path, redirected, role }) => redirected && role === "write" && path === word)
      )
    },
    runs
  )

  it("what bash would change is not known, or known as bash knows it", () => {
    assert.deepStrictEqual(argvs("a $x"), [["a", null]])
    assert.deepStrictEqual(argvs('a "$x"y'), [["a", null]])
    const unknown = read("a {b,c} $'\\u00e9' $'a\\0b' b=~/c ~other").actions[0]?.argv
    assert.deepStrictEqual(unknown, ["a", null, null, null, null, null])
    const known = read("a ~ ~/b $HOME/c \"$PWD\" '~' \\~ $?", { home: "/h", folder: "/w" })
    assert.deepStrictEqual(known.actions[0]?.argv, ["a", "/h", "/h/b", "/h/c", "/w", "~", "~", "0"])
    assert.deepStrictEqual(read("a $HOME", { home: "/h *" }).actions[0]?.argv, ["a", null])
    assert.deepStrictEqual(read("cd x && a $PWD", { folder: "/w" }).actions[1]?.argv, ["a", null])
  })

  it("a relative name after cd lies there only where cd has run before it for certain", () => {
    const lies = (text: string) => read(text).targets.findLast(({ redirected }) => redirected)?.path
    for (const text of ["cd y && > x", "a && cd y && > x", "a || b && cd y && > x", "cd y && { a; > x; }"])
      assert.strictEqual(lies(text), "y/x", text)
    for (const text of [
      "cd y; > x",
      "cd y || > x",
      "a || cd y && > x",
      "a || cd y && b && > x",
      "a && b || cd y && > x",
      "a || { cd y; } && > x",
      "! cd y && > x"
    ])
      assert.isNull(lies(text), text)
  })

  it("reads as plain only what it fully understands", () => {
    const plain = [
      "a # b; c",
      "a;\n# b\nc",
      "a <<'E'\n$(b)\nE",
      "a <<E\nb\nE",
      "a 2>&1",
      "a \\\n  b",
      "[ -f a ]",
      "CI=1 a",
      "! a",
      "time a",
      "(a)",
      "{ a; }",
      "(cd a && b) 2>&1 | c",
      "if a; then b; elif c; then d; else e; fi",
      "for f in a 'b c' d*; do e \"$f\"; done",
      "[[ -f a && $b == c ]]",
      "a \"$(cat <<'E'\nb's\nE\n)\"",
      "a\\\n  b"
    ]
    const compound = [
      "a &",
      "a $(b)",
      "for f in $(a); do b; done",
      "for f in $a; do b; done",
      "for PATH in a; do b; done",
      "for f in a; do read f; done",
      "for f in a; do f=b; c $f; done",
      "for f in a; do eval b; done",
      "trap 'f=/' DEBUG; for f in a; do b $f; done",
      "IFS=b; for f in ab/c; do d $f; done",
      "while a; do b; done",
      "case a in b) c ;; esac",
      "a() { b; }",
      "[[ -v a ]]",
      "[[ a -eq b ]]",
      'a "$(cat <<E\nb\nE\n)"',
      "a \"$(cat <<'E'\nb)\nE\n)\"",
      "a \"$(cat <<'E' b\nb\nE\n)\"",
      "a > \"$(cat <<'E'\nb\nE\n)\"",
      "a `b`",
      "a <(b)",
      "a <<E\n$b\nE"
    ]
    const unreadable = [
      "a (",
      "echo '",
      "a <<E\nb",
      "a\r",
      "a\u00a0b",
      "a \u200b",
      "a\\\nb",
      "a >&-b",
      'a >&\\"1',
      "=( x",
      "a ;; b",
      ""
    ]
    const form = (line: string) => read(line).form
    assert.deepStrictEqual(
      plain.filter((line) => form(line) !== "plain"),
      []
    )
    assert.deepStrictEqual(
      compound.filter((line) => form(line) !== "compound"),
      []
    )
    assert.deepStrictEqual(
      unreadable.filter((line) => form(line) === "plain"),
      []
    )
    assert.strictEqual(form(`a ${"x".repeat(8200)}`), "unreadable")
    assert.strictEqual(form("a;".repeat(51)), "unreadable")
    assert.strictEqual(form("$(".repeat(3000)), "unreadable")
  })

  it("finds the programs inside wrappers, substitutions and shell text", () => {
    const programs = (line: string) => argvs(line).map(([program]) => program)
    assert.deepStrictEqual(programs("sudo -n env CI=1 timeout 5 rm x"), ["sudo", "env", "timeout", "rm"])
    assert.deepStrictEqual(programs("bash -c 'a; b $(c)'"), ["bash", "a", "b", "c"])
    assert.deepStrictEqual(programs("find . -exec sh -c 'rm x' \\;"), ["find", "sh", "rm"])
    assert.deepStrictEqual(programs("ls | xargs -0 -n1 rm"), ["ls", "xargs", "rm"])
    assert.deepStrictEqual(
      programs('for f in a; do eval "b c"; done').filter((name) => name !== undefined),
      ["eval", "b"]
    )
  })
})
