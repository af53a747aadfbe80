/** Random command lines: everyday ones, hostile ones, and everyday ones that were tampered with. Same seed, same lines. */

/** https://en.wikipedia.org/wiki/Xorshift */
const randomOf = (seed: number) => {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1
  return (limit: number): number => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % limit
  }
}

const split = (text: string): ReadonlyArray<string> => text.split(" ")

const files = split(
  "a b.txt src src/a.ts src/b.ts list run.sh s.sed link secretlink link/secret link/../a src/../a ../outside/secret /ws/outside/secret /ws/proj/a /tmp/note /users/me/note ~/note ~ . .. ./a ./src nosuch new new/x out -n -a -- - /dev/null /etc/passwd"
)
const globs = split("src/*.ts *.txt src/? s* link/* */a.ts ../* /ws/*/secret .* n*")
const dynamic = [
  "$HOME",
  "$PWD",
  "$PWD/a",
  '"$HOME/note"',
  "$x",
  "${x}",
  '"$x"',
  "$(cat a)",
  "`cat a`",
  "$((1+1))",
  "$?",
  "{a,b.txt}",
  "$'\\x61'",
  '$"a"',
  "~+",
  "<(cat a)",
  "2<(cat a)",
  "12>(tee b)",
  "!!",
  "*"
]

const flags: Readonly<Record<string, string>> = {
  ls: "-l -a -la -R -1 -d -t --color --sort=size -I x --hide=x -L",
  cat: "-n -A -s -- -b",
  head: "-n1 -n 2 -c5 -2 -q -z -n -1",
  tail: "-n1 -n+2 -c5 -2 -q -r",
  wc: "-l -w -c --files0-from=list -L",
  sort: "-n -r -u -k2 -t, -o out -oout --output=new --outp=out -m -c -z --compress-program=./run.sh -T . --files0-from=list -S1",
  uniq: "-c -d -u -i -f1",
  cut: "-c1 -d, -f1 -f -c1-3 --output-delimiter=x -s",
  grep: "-r -n -i -c -l -v -e a -f list -E a x --include=*.ts -m1 -A1 -R . import --exclude-from=list -z",
  diff: "-u -q -r --to-file=a -l -N --from-file=a -y",
  sed: "-n -e p s/a/b/ 1p '1,2p' 's/a/b/w out' '1e id' w,out 's/x/touch new/e' -i -i.bak -E -f s.sed -s -n$p '$=' 'y/ab/ba/' '/a/d' '1r list' -z --debug 'p;p' 's|a|b|w new' '1!G;h;$!d' 's/a/b/;w new' 'W out' --in-place '1q' 'a\\x' '/a/{p}'",
  awk: "'{print}' '{print $1}' -F, 'BEGIN{system(\"id\")}' '{print > \"out\"}' '{print | \"sort\"}' -f list -v x=1 'NR==1' '/a/' 'BEGIN{while((getline l<\"list\")>0)print l}' '{print>$1}' 'END{print NR}' 'BEGIN{ARGV[1]=\"/tmp/note\"}' -i inplace '$2>1{print}' 'BEGIN{printf \"x\" | \"cat 1>&2\"}' 'BEGIN{\"id\"|getline x}'",
  find: ". src -name a -type f -maxdepth 1 -delete -exec cat {} + -exec touch new ; -exec rm {} \\; -exec sh -c id \\; -print -o -fprint out -fls out -newer a -name *.ts -execdir ls {} + -L -ok rm {} ; ! ( ) -empty -printf x -quit -follow -files0-from list -exec grep a {} \\; -ls -prune",
  xargs: "cat ls rm -n1 -I{} -0 echo touch -a list -P2 sh -c id grep a wc -l head -t tee sort -r -L1 -i cp",
  tar: "-tf a -cf out a -xf a -t -f tf cf out --checkpoint=1 --checkpoint-action=exec=id --to-command=id -I id -C .. -tvf -czf --list",
  cp: "-r -a -f a src -t src/ new out -n -p -T -P -s -l --parents -u -b -S.bak",
  mv: "-f -n a src new -t src -T -b out",
  rm: "-r -f -rf -d -v new a src -i",
  mkdir: "-p new src/new -m 755 -v new/x -pv",
  touch: "new -c -a -r a -d now src/new -t",
  tee: "-a new out src/x -i",
  ln: "-s a new -f -r -t src -sf link",
  cmp: "-s -l a -n1",
  stat: "-c %n -L -f -t --printf=x",
  file: "-b -f list -C -m list",
  du: "-s -h -a --files0-from=list -d1",
  echo: "-n -e a $? hi $HOME -- x>y \"a b\" 'c d' ''",
  printf: "%s -v x %d\\n '%s' -- a %(%s)T",
  test: "-f a -d src -v 'a[$(touch new)]' -e = ! -n x 1 -eq -a -o -R",
  "[": "-f a ] -d src -v 'a[$(touch new)]' ! = x 1 -eq -t",
  basename: "-s .ts -a",
  realpath: "-e -m -s",
  seq: "3 -s, -w 1 2",
  tr: "a b -d -c -s a-z A-Z",
  comm: "-12 -3 a",
  paste: "-s -d, a",
  od: "-c -An -tx1 a",
  env: "NODE_ENV=test ls cat a PATH=. -i -S sh -u HOME id CI=1 wc -C .. LD_PRELOAD=x",
  timeout: "1 2 -k 1 ls cat a sh -s KILL rm 0.1 --foreground touch new",
  nice: "-n 5 cat a ls -5 rm new sh",
  git: "status log diff --no-index a b.txt init -c core.pager=id -C .. rev-parse config alias.x !id --git-dir=. show add commit stash branch --output=out grep -O ls-files hash-object -w clean -fd",
  date: "+%s -u -r a -s now -f list -d now",
  id: "-u -n",
  sha256sum: "a -c list -b",
  base64: "-w0 -d a",
  shuf: "-n1 -e -o out -i1-3 --random-source=a",
  readlink: "-f link",
  cd: "src .. link / - ~ new -P",
  join: "a a -1 1 -t,",
  expand: "-t2",
  fold: "-w1",
  nl: "-ba",
  tac: "-r",
  rev: "a"
}

const variables = [
  "$f",
  '"$f"',
  "${f}",
  '"${f}"',
  "$g",
  '"$g"',
  "$f.bak",
  '"out/$f"',
  "'$f'",
  "\\$f",
  "${f%.ts}",
  "-$f"
]

const programs = Object.keys(flags)
const hostile = split(
  "sh bash id curl eval exec source . command builtin python3 perl node ./run.sh /bin/ls dd chmod kill export alias set trap let nohup sudo busybox xxd split install truncate hash read time coproc function"
)
const operators = [" | ", " | ", " && ", " && ", "; ", " || ", "\n", " & ", "|", "&&", ";", " |& ", " ; ; "]
const redirections = [
  "> out",
  ">> out",
  "> /dev/null",
  "2>&1",
  "2>/dev/null",
  "< a",
  ">out",
  "&> out",
  ">| out",
  "<> a",
  "> src/x",
  "> link/x",
  "> ../x",
  "< link/secret",
  "> $x",
  ">& out",
  "2> err",
  "<<< hi",
  "> ~/x",
  "3> out",
  ">&- ",
  "> 'a b'",
  "{fd}> out",
  '> "$PWD/out"',
  ">&2",
  "1>&2 > out"
]
const noise = [
  "$",
  "`",
  "\\",
  "'",
  '"',
  "(",
  ")",
  "{",
  "}",
  ";",
  "&",
  "|",
  "<",
  ">",
  "*",
  "?",
  "[",
  "]",
  "#",
  "!",
  "~",
  "=",
  "\n",
  " ",
  "\t",
  "\\\n",
  "$(",
  "$'",
  '$"',
  "<(",
  " 2<(",
  " 1>(",
  ">(",
  "$((",
  "))",
  "&&",
  "||",
  ";;",
  "\r",
  "-",
  "--",
  "^",
  "%",
  "@(",
  "+(",
  "\u00a0",
  "\\x",
  "<<E",
  "<<'E'\nx\nE\n",
  "${",
  "$*",
  "$@",
  "\u200b",
  "<<-E\n\tx\n\tE\n",
  "! ",
  "time ",
  "A=1 ",
  " #",
  "if ",
  "do ",
  "&>"
]

export interface Generator {
  readonly next: () => string
}

export const make = (seed: number): Generator => {
  const random = randomOf(seed)
  const one = <T>(items: ReadonlyArray<T>): T => {
    const item = items[random(items.length)]
    if (item === undefined) throw new Error("nothing to choose from")
    return item
  }
  const chance = (percent: number): boolean => random(100) < percent

  /** The same word in another spelling, or nearly the same. */
  const spell = (word: string): string => {
    if (!/^[\w./-]+$/.test(word) || chance(75)) return word
    const at = 1 + random(Math.max(1, word.length - 1))
    const [head, tail] = [word.slice(0, at), word.slice(at)]
    switch (random(6)) {
      case 0:
        return `'${word}'`
      case 1:
        return `"${word}"`
      case 2:
        return `${head}'${tail}'`
      case 3:
        return `${head.slice(0, -1)}\\${head.slice(-1)}${tail}`
      case 4:
        return `$'${word}'`
      default:
        return `${head}""${tail}`
    }
  }

  const operand = (): string => (chance(74) ? spell(one(files)) : chance(60) ? one(globs) : one(dynamic))

  const simple = (): string => {
    const program = chance(94) ? one(programs) : one(hostile)
    const own = split(flags[program] ?? "-c -x a id")
    const words = [spell(program)]
    for (let left = random(4); left > 0; left--) words.push(chance(55) ? one(own) : operand())
    if (program === "[" && chance(80)) words.push("]")
    if (program === "find" && chance(50)) words.splice(1, 0, one([".", "src", "a", "link", ".."]))
    if (chance(14)) words.splice(1 + random(words.length), 0, one(redirections))
    if (chance(2)) words.unshift(one(["NODE_ENV=test", "CI=1", "PATH=.", "x=1", "IFS=a", "LC_ALL=C"]))
    return words.join(" ")
  }

  const tamper = (text: string): string => {
    const at = random(text.length + 1)
    return chance(70) ? text.slice(0, at) + one(noise) + text.slice(at) : text.slice(0, at) + text.slice(at + 1)
  }

  /** A list in which words are the variable of a loop around it. */
  const looped = (text: string): string => {
    const words = text.split(" ")
    for (let left = 1 + random(2); left > 0; left--)
      words.splice(1 + random(words.length), chance(30) ? 1 : 0, one(variables))
    return words.join(" ")
  }

  const values = (): string =>
    Array.from({ length: 1 + random(3) }, () => (chance(60) ? operand() : one(globs))).join(" ")

  const test = (): string =>
    `${one(["[ ", "[[ ", "test ", "! [ ", "[["])}${one(["-f", "-d", "!", "-n", "-z", "-v", "-e"])} ${operand()}${one([
      " ]",
      " ]]",
      "",
      ` == ${operand()} ]]`,
      ` && -f ${operand()} ]]`,
      " -eq 1 ]"
    ])}`

  /** Forms around a list: groups, conditions and loops, well made and nearly so. */
  const grouped = (text: string): string =>
    one([
      () => `(${text})`,
      () => `( cd ${operand()} && ${text} )`,
      () => `(cd src; ${text}); ${simple()}`,
      () => `cd src && (${text}) && ${simple()}`,
      () => `cd ${operand()} && ${text}`,
      () => `cd src && cd ${operand()} && ${text}`,
      () => `{ ${text}; }`,
      () => `{ cd src && ${text}; } && ${simple()}`,
      () => `(${text}) ${one(redirections)}`,
      () => `{ ${text}; } ${one(redirections)} | ${simple()}`,
      () => `(${text}) | ${simple()}`,
      () => `${simple()} | (${text})`,
      () => `! ${text}`,
      () => `time ${text}`,
      () => `if ${text}; then ${simple()}; fi`,
      () => `if ${test()}; then ${text}; else ${simple()}; fi`,
      () => `if ${test()}\nthen\n  ${text}\nelif ${simple()}; then ${simple()}\nfi`,
      () => `${test()} && ${text}`,
      () => `${test()} || { ${text}; exit 1; }`,
      () => `for f in ${values()}; do ${looped(text)}; done`,
      () => `for f in ${values()}\ndo\n  ${looped(text)}\ndone`,
      () => `for f in ${values()}; do ${looped(text)}; ${looped(simple())}; done ${one(redirections)}`,
      () => `for f in ${values()}; do for g in ${values()}; do ${looped(looped(text))}; done; done`,
      () => `for f in ${values()}; do (cd ${one(variables)} && ${text}); done`,
      () => `for f in ${values()}; do cd ${one(variables)}; ${text}; done`,
      () => `for f in ${values()}; do ${test()} || continue; ${looped(text)}; done | ${simple()}`,
      () => `for f in ${values()}; do read f; ${looped(text)}; done`,
      () =>
        `for ${one(["PATH", "HOME", "IFS", "f", "_"])} in ${values()}; do ${looped(text)}; done; ${looped(simple())}`,
      () => `echo "$(cat <<'E'\n${text}\nE\n)"`,
      () =>
        `echo ${one(['"', ""])}$(cat <<${one(["'E'", "E", '"E"', "\\E"])}\n${one(["it's", "a)", 'b"', "$(touch new)", "(x", "E"])}\nE\n)${one(['"', ""])} ${operand()}`,
      () => `NODE_ENV=test && ${text}`,
      () => `export CI=1 && ${text}`,
      () =>
        `${one(["RUST_LOG=a=b,c", "DEBUG=app:*", "PYTHONPATH=src", "NODE_OPTIONS=--import=./x", "TZ=../x", "GOFLAGS=-v"])} ${text}`,
      () => text.replace(/ /, " \\\n  "),
      () => `cat "$(pwd)/${operand()}" && ${text}`,
      () => `x=1 cat $PWD/${operand()} && ${text}`,
      () => `seq ${one(["$(nproc)", '"$(nproc)"', "1$(nproc)", "$(nproc )", "$( nproc)"])} && ${text}`
    ])()

  const next = (): string => {
    let text = simple()
    while (chance(26)) text += one(operators) + simple()
    if (chance(22)) text = grouped(text)
    if (chance(3)) text = grouped(text)
    if (chance(4))
      text = one([
        `(${text})`,
        `{ ${text}; }`,
        `! ${text}`,
        `if true; then ${text}; fi`,
        `for f in a; do ${text}; done`,
        `${text} <<E\nhi\nE`,
        `${text} <<'E'\n$(touch new)\nE`,
        `cd src && ${text}`,
        `${text} # end`,
        `cd link; ${text}`
      ])
    while (chance(14)) text = tamper(text)
    return text
  }

  return { next }
}
