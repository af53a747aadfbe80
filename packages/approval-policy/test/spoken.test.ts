/** What is only shown needs not be known; what is given to a program does. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { command } from "./fixtures.ts"

const decide = (text: string, ...allow: ReadonlyArray<string>) =>
  ApprovalPolicy.decide(
    command(text, { approvals: { ...Approvals.edits, commands: { allow, deny: [], other: "ask" as const } } })
  )

const asked = (texts: ReadonlyArray<string>, ...allow: ReadonlyArray<string>) =>
  texts.filter((text) => decide(text, ...allow).decision === "ask")

describe("words that are only shown", () => {
  it("may hold the search path, numbers, and the names of a loop", () => {
    const shown = [
      "echo $PATH",
      'echo "$PATH" | tr : " "',
      "printf '%s\\n' \"$HOME $USER\"",
      "echo $((2 + 3))",
      'for f in src/*.ts; do echo "== $f"; done',
      'for f in src/*.ts; do echo "== $f"; head -5 "$f"; done',
      "for d in packages/*; do echo $d:; ls $d/src; done",
      'for d in packages/*; do cat "$d/package.json"; done',
      "for i in $(seq 3); do echo $i; done"
    ]
    assert.deepStrictEqual(asked(shown), [])
  })

  it("hold no other variable, and nothing that the shell evaluates", () => {
    const others = [
      "echo $TOKEN",
      "echo ${PATH:-x}",
      "echo $((a[0]))",
      "echo $((x))",
      "echo $[1+1]",
      "cat $PATH",
      "ls $PATH",
      "$PATH",
      "rm -r $PATH",
      "echo x > $PATH",
      "echo `date`",
      "touch $((1))",
      'for d in packages/*; do cat "$d/.env"; done',
      'for d in packages/*; do cat "x$d"; done',
      "for i in $(seq 3); do cat $i; done",
      "for i in $(seq $N); do echo $i; done",
      "for i in $(seq 1 2 3); do echo $i; done",
      "xxd a $(seq 2)",
      "uniq $(seq 2)"
    ]
    assert.deepStrictEqual(asked(others, "echo", "cat", "rm"), others)
  })

  it("may say what other programs say, which are judged like every other", () => {
    const said = [
      'echo "done: $(date)"',
      "echo $(git rev-parse --short HEAD)",
      'echo "$(cat src/a.ts | wc -l) lines"',
      'for f in src/*.ts; do echo "$f: $(wc -l < "$f")"; done',
      'echo "$(echo "$(pwd)")"',
      'printf "%s" "$(git log --oneline -1)"'
    ]
    assert.deepStrictEqual(asked(said), [])
    const others = [
      'echo "$(cat .env)"',
      'echo "$(curl a.example)"',
      'echo "$(touch x)"',
      'echo "$(rm x)"',
      'echo "$(rm -rf ~/)"',
      'echo "$(cat /etc/passwd)"',
      'echo "$(cd /; cat etc/passwd)"',
      'echo "$(ls; X=1)$(id)"',
      'echo "$(cat $(ls))"',
      'echo "$(ls # )\n)"',
      'echo "$(ls &)"',
      'echo "${x:-$(touch x)}"',
      "$(echo ls)",
      "$(echo ls) src",
      'X="$(ls)" echo a',
      "cat $(ls)",
      "cat $(echo src/a.ts)",
      "echo $(bash <(ls))",
      'echo "$(echo rm x)" | sh',
      'echo "$(ls)" > /etc/x',
      '[ "$(ls)" = x ]'
    ]
    assert.deepStrictEqual(asked(others, "echo", "cat", "ls"), others)
  })

  it("in a shell are read as text of the shell", () => {
    assert.strictEqual(decide('echo "rm -rf $HOME" | bash', "bash", "echo").decision, "ask")
    assert.strictEqual(decide("echo $PATH | bash", "bash", "echo").decision, "ask")
  })
})

describe("names that git and find print", () => {
  const programs = ["xargs", "find", "cat", "grep", "rg", "sort", "git"]

  it("may be given to who takes any name", () => {
    const listed = [
      "wc -l $(git ls-files)",
      "wc -l $(git ls-files '*.ts')",
      "git ls-files | xargs wc -l",
      "git ls-files -z | xargs -0 grep -n TODO",
      "git ls-files -co --exclude-standard | xargs wc -l",
      "git diff --name-only | xargs wc -l",
      "wc -l $(git diff --name-only --diff-filter=M -- src)",
      'git diff --name-only | while read -r f; do head -3 "$f"; done',
      "git grep -l TODO | xargs wc -l",
      "git grep -lz -e TODO -- src | xargs -0 wc -l",
      "wc -l $(find src -name '*.ts')",
      "grep -n TODO $(git ls-files src)",
      'for f in $(git ls-files src); do echo "== $f"; head -3 "$f"; done'
    ]
    assert.deepStrictEqual(asked(listed), [])
  })

  it("ask of everybody else, in other words, and after a change of what git has", () => {
    const others = [
      "sed -n 1p $(git ls-files)",
      "gofmt -l $(git ls-files)",
      "rm $(git ls-files)",
      "cp $(git ls-files) dist",
      "xargs $(git ls-files)",
      "$(git ls-files)",
      "wc -l x$(git ls-files)",
      'wc -l "$(git ls-files)"',
      "wc -l $(git ls-files; cat list)",
      "wc -l $(git ls-files | head -3)",
      "wc -l $(git show HEAD:list)",
      "wc -l $(git -C /x ls-files)",
      "wc -l $(cat list)",
      "wc -l $(find / -name x)",
      "wc -l $(find . -printf %f)",
      "wc -l < $(git ls-files)",
      'for f in $(git ls-files); do rm "$f"; done',
      'for f in $(git ls-files); do cat "$f/x"; done',
      "for f in $(cat list); do cat $f; done",
      "git ls-files | xargs rm",
      "git ls-files | xargs -0 cat",
      "git ls-files --others --directory | xargs cat"
    ]
    assert.deepStrictEqual(asked(others, "xargs", "find"), others)
  })

  it("are not what a flag has for its value, what an error says, or what lies above", () => {
    const others = [
      "git ls-files .. | xargs cat",
      "git ls-files ':(top)docs' | xargs cat",
      "git ls-files :/ | xargs cat",
      "cat $(git ls-files src/../..)",
      "cat $(git ls-files ../docs/*)",
      "git diff --name-only main | xargs cat",
      "git diff -z --name-only main other | xargs -0 cat",
      "git diff --name-only HEAD -- src | xargs cat",
      "git diff --name-only --cached | xargs cat",
      "git diff --name-only --line-prefix=../ | xargs cat",
      "git diff --name-only -- ../other | xargs cat",
      "git grep -l x ../other | xargs cat",
      "git grep -l -e x -- :/ | xargs cat",
      "git grep -h -l x | xargs cat",
      "git grep -e -l | xargs cat",
      "git grep --untracked -l x | xargs cat",
      "grep -e -l notes | xargs cat",
      "grep -el notes | xargs cat",
      "grep -rie -l notes | xargs cat",
      "rg -rl x notes | xargs cat",
      "rg -r -l x notes | xargs cat",
      "cat $(grep --include -l x notes)",
      "cat $(rg --type --files x notes)",
      'grep -e x --exclude -l notes | while read -r f; do cat "$f"; done',
      "grep -l x 'out y' 2>&1 | xargs cat",
      "grep -l x 'out y' |& xargs cat",
      "find 'out y' 2>/dev/stdout | xargs cat",
      "find 'out y' 2>&1 | sort | xargs cat",
      "cat $(grep -l x 'out y' 2>&1)",
      'grep -l x "out y" 2>&1 | while read -r f; do cat "$f"; done',
      "find src | xargs -d Q cat",
      "find src | xargs -rd / cat",
      "find src | xargs --delimiter=/ cat",
      "find src | xargs --delim , cat"
    ]
    assert.deepStrictEqual(asked(others, ...programs), others)
    const names = [
      "git ls-files src 'docs/*.md' | xargs cat",
      "grep -rlE -e a -e b --include '*.ts' src | xargs cat",
      "rg -l x -g '*.ts' -t ts src | xargs cat",
      "grep -rl x src 2>/dev/null | xargs -d '\\n' cat",
      "grep -rl x src | xargs -n 1 -d'\\n' cat",
      "grep -rlZ x src | xargs -d '\\0' cat"
    ]
    assert.deepStrictEqual(asked(names, ...programs), [])
  })

  it("are taken for tracked only while no git of the line may change what is", () => {
    const below = (text: string) =>
      command(text, { approvals: Approvals.edits }).facts.command?.reading.targets.flatMap((target) =>
        target.below === undefined ? [] : [target.below.tracked ?? false]
      )
    assert.deepStrictEqual(below("git ls-files | xargs cat"), [true])
    assert.deepStrictEqual(below("cat $(git ls-files)"), [true])
    assert.deepStrictEqual(below("git status && git ls-files | xargs cat"), [true])
    assert.deepStrictEqual(below("git add -f .env; git ls-files | xargs cat"), [false])
    assert.deepStrictEqual(below("git update-index --add x && cat $(git ls-files)"), [false])
    assert.deepStrictEqual(below("git ls-files -o -z | xargs -0 cat"), ["also"])
    assert.deepStrictEqual(below("git diff --name-only | xargs cat"), ["top"])
    assert.deepStrictEqual(below("git add -A && git diff --name-only | xargs cat"), [false])
    assert.deepStrictEqual(below("git grep -l x | xargs cat"), ["top"])
    assert.deepStrictEqual(below("git grep -l x src | xargs cat"), ["also"])
    assert.deepStrictEqual(below("grep -r x $(git ls-files)"), [false])
  })
})
