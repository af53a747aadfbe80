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
