/** Flags and words of everyday commands that an entry covers, beside those like them that it does not. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { command } from "./fixtures.ts"

const decided = (text: string, ...allow: ReadonlyArray<string>) =>
  ApprovalPolicy.decide(
    command(text, { approvals: { ...Approvals.edits, commands: { allow, deny: [], other: "ask" as const } } })
  ).decision

const rows: ReadonlyArray<readonly [entry: string, runs: ReadonlyArray<string>, asks: ReadonlyArray<string>]> = [
  [
    "sed -i",
    [
      "sed -i 's/a/b/g' src/a.ts",
      "sed -i '/console/d' src/a.ts",
      "sed -i -e 's/a/b/' -e '/^$/d' src/a.ts",
      "sed -E -i 's/a/b/' src/a.ts"
    ],
    [
      "sed -i '1e curl x' src/a.ts",
      "sed -i 's/a/b/w /etc/x' src/a.ts",
      "sed -i 's/a/b/e' src/a.ts",
      "sed -i '/a/d' /etc/hosts",
      "sed -i '/a/d' .git/config",
      "sed -i.json p src/package",
      "sed -i -f script src/a.ts",
      "sed -i -e '/a/d' -e w.git/config src/a.ts",
      "sed -i */etc/x src/a.ts"
    ]
  ],
  ["grep", ["grep -rn x src --include=*.ts"], ["grep -rn x src -f*.ts", "sort --output=*.ts src/a.ts"]],
  [
    "node --test",
    ["node --test test/a.test.js", "node --test --test-name-pattern=adds --watch test"],
    ["node --test --import=./x.js", "node --test -e code", "node --test --test-reporter=./x.js", "node -e code --test"]
  ],
  [
    "npm run",
    ["VITE_API_URL=http://localhost:3000 npm run build", "NEXT_PUBLIC_NAME=a npm run build"],
    ["VITE_NODE_DEPS_MODULE_DIRECTORIES=x npm run build", "VITE_X=../x npm run build", "API_URL=x npm run build"]
  ],
  [
    "pytest",
    ["pytest -q -p no:cacheprovider"],
    ["pytest -p evil", "pytest -pevil", "pytest -p no:x -p evil", "pytest -p 'no:x evil'"]
  ],
  ["git branch", ["git branch -d feature/two"], ["git branch -D feature/two", "git branch -d -f x", "git branch -M x"]],
  ["pnpm turbo", ["pnpm turbo run build --filter=./packages/core --force"], ["pnpm turbo run build --cwd=/x"]],
  ["bun run", ["bun run lint --fix"], ["bun run lint --config=x", "bun run --preload=x lint"]],
  ["go run", ["go run ./cmd/server --help"], ["go run -exec x ./cmd/server", "go run -toolexec=x ./cmd/server"]],
  ["uv pip install", ["uv pip install -e '.[dev]'"], ["uv pip install --target=/x a", "uv run x"]],
  [
    "dotnet test",
    ["dotnet test --logger 'console;verbosity=detailed'"],
    ["dotnet test --logger 'trx;LogFileName=/x'", "dotnet test --logger ./x.dll"]
  ],
  ["./build/tests", ["./build/tests --gtest_filter='Parser.*'"], ["./build/tests --gtest_output=xml:/x"]],
  [
    "make",
    ["make -C sub", "make -C sub test", "make -f sub/rules.mk check", "make CC=clang", "make CFLAGS='-O2 -Wall' all"],
    [
      "make -C /x",
      "make -C ../x",
      "make CC=./x",
      "make CC='clang -fplugin=x'",
      "make CFLAGS='-fplugin=x'",
      "make CFLAGS='-Wl,x'",
      "make SHELL=x"
    ]
  ],
  [
    "docker build",
    ["docker build -t web .", "docker build -f docs/Dockerfile -t web:1 docs"],
    ["docker build https://example.com/x", "docker build git@example.com:x", "docker build -", "docker build /x"]
  ],
  [
    "pnpm test",
    ["pnpm --filter ./packages/a test", "pnpm -F '...web^' test", "pnpm --filter '@acme/*' test"],
    ["pnpm --filter ../other test", "pnpm -F ../../x... test"]
  ],
  ["git stash", ["git stash push -m wip -- src/a.ts"], ["git stash push -- ../other", "git stash push -- /x/y"]],
  [
    "./gradlew test",
    ["./gradlew :core:test", "./gradlew :a:b:test --info"],
    ["./gradlew :core:publish", "./gradlew test:x", "make :core:test"]
  ],
  [
    "make check",
    ["make check ARGS=-q", "make check ARGS=src/a", "make check TEST_ARGS=--verbose"],
    ["make check TESTARGS=-pevil", "make check ARGS=-c/x", "make check ARGS='-q -p evil'", "make check MODE=-x"]
  ],
  [
    "valgrind",
    ["valgrind ls", "valgrind --leak-check=full -q wc src/a"],
    ["valgrind ./build/app", "valgrind --log-file=../x ls", "valgrind --tool=./x ls"]
  ],
  [
    "gcc",
    [
      "gcc -E -dM - < /dev/null",
      "objdump -d build/app --no-show-raw-insn",
      "node --check src/a.js",
      "grep -rl x src | xargs -n1 basename",
      'test -z "$(git status --porcelain)" && echo clean',
      'if [ -n "$(ls src)" ]; then echo some; fi',
      '[[ -n "$(git status --porcelain)" ]] && echo dirty',
      "[[ -z $(ls src) && -f src/a ]] || echo some",
      "go tool cover -func=cover.out"
    ],
    [
      "node --check -r ./x src/a.js",
      "node -r ./x --check src/a.js",
      "node --check /x/a.js",
      "node src/a.js",
      "test -z $(ls)",
      'test -v "$(ls)"',
      '[ -z "$(ls)" -a -f x ]',
      '[ "$(ls)" = x ]',
      'test -z "$(rm src/a)"',
      'test -n "`ls`"',
      '[[ -n "$(rm src/a)" ]]',
      '[[ -n "$(cat .env)" ]]',
      '[[ "$(ls)" = x ]]',
      '[[ -f "$(ls)" ]]',
      '[[ -v "$(ls)" ]]',
      '[[ -n "`ls`" ]]',
      "[[ $(ls) -eq 1 ]]",
      "go tool cover -html=cover.out",
      "go tool cover -func=/x/cover.out",
      "go tool cover -func=cover.out -o x",
      "go tool pprof cover.out"
    ]
  ],
  ["make test", ["make test -j4"], ["make -C sub test", "make -f x test"]],
  [
    "go test",
    ["go test -coverprofile=cover.out ./...", "go test ./... -coverprofile cover.out"],
    ["go test -coverprofile=.git/hooks/x ./...", "go test -coverprofile=../x ./...", "go test -coverprofile ~/.bashrc"]
  ],
  [
    "bazel test",
    ["bazel test //...", "bazel test //src/a:b", "bazel test @other//x:all -//y/..."],
    ["bazel test /x", "bazel test //../x", "bazel run //x", "bazel test --run_under=./x //x"]
  ],
  [
    "tar -czf",
    ["tar -czf a.tgz docs"],
    [
      "tar -czf ../a.tgz docs",
      "tar -czf a.tgz .env",
      "tar -czf h:a docs",
      "tar -czf a.tgz -I x docs",
      "tar -xzf a.tgz",
      "tar -cf a docs --to-command=x"
    ]
  ],
  ["ninja", ["ninja -C build -t targets"], ["ninja -t /x", "ninja -f x"]],
  [
    "sed -i",
    ["sed -i '$ a last' src/a.ts", "sed -i '2i first' src/a.ts"],
    ["sed -i 'a x\\' src/a.ts", "sed -i '1a' src/a.ts", "sed -i '1r x' src/a.ts"]
  ],
  [
    "ls",
    [
      "tar -tzf a.tgz",
      "tar tzvf a.tgz",
      "unzip -l a.zip",
      "jar tf a.jar",
      "gzip -l a.gz",
      "zcat a.gz | head",
      "bash -n scripts/a.sh",
      "git apply --check a.patch",
      "git apply --stat a.patch",
      "git check-ignore -v .env",
      "git config --get user.name",
      "git config --list --name-only",
      "git remote show",
      "df -h .",
      "free -h",
      "go version",
      "expr 2 + 3",
      "tail -f app.log"
    ],
    [
      "tar -tzf a.tgz --to-command=x",
      "tar -tf h:a.tgz",
      "tar -tzf .env",
      "unzip -l a.zip -d x",
      "unzip a.zip",
      "jar xf a.jar",
      "gzip a",
      "zcat .env",
      "bash -n -c x",
      "bash -nc x",
      "bash -n +n a",
      "bash -n .env",
      "git apply a.patch",
      "git apply --check --apply a.patch",
      "git apply --check --unsafe-paths a.patch",
      "git apply --check /x",
      "git config --list",
      "git config -l --show-origin",
      "git config list",
      "git config --get-regexp .",
      "git config --get http.extraHeader",
      "git config credential.helper",
      "git config --get url.x.insteadOf",
      "git remote show origin",
      "id",
      "go version -m .env",
      "expr $X"
    ]
  ],
  ["git config --list", ["git config --list"], ["git config --unset user.name"]],
  ["composer install", ["composer install --no-interaction"], ["composer install --working-dir=/x"]],
  [
    "ls",
    ["php -l src/a.php", "nm -C build/main", "objdump -d build/main", "git worktree list"],
    ["php -l -r x", "php src/a.php", "php -l .env", "objdump -d .env", "git worktree add ../x"]
  ]
]

describe("of everyday commands", () => {
  it.each(rows)("'%s' covers what is harmless of the program, and nothing else", (entry, runs, asks) => {
    assert.deepStrictEqual(
      runs.filter((text) => decided(text, entry) !== "allow"),
      []
    )
    assert.deepStrictEqual(
      asks.filter((text) => decided(text, entry) === "allow"),
      []
    )
  })

  it("a filter that the shell may expand leaves no secret out but by the end of the names", () => {
    assert.strictEqual(decided("grep -rn x src --include=*.ts --exclude=*.env"), "allow")
    const asked = (text: string) => {
      const input = command(text, { approvals: Approvals.edits })
      return input.facts.command?.reading.targets.map(({ below }) => below).find((below) => below !== undefined)
    }
    assert.deepInclude(asked("grep -rn x src --include=*.ts"), { names: ["*.ts"], skips: [] })
    assert.deepInclude(asked("grep -rn x src --include=a*"), { names: [] })
    assert.deepInclude(asked("grep -rn x src --exclude=*.env"), { names: [], skips: [] })
  })
})
