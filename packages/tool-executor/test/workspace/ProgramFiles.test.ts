/** An approval of a command binds to the files by which it finds what to run. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as Workspace from "./fixtures/Workspace.ts"

type Row = readonly [command: string | { readonly program: string; readonly args: ReadonlyArray<string> }, file: string]

/** What says what a command runs; a change of it is another call. */
const rows: ReadonlyArray<Row> = [
  ["npm test", "package.json"],
  ["npm --prefix packages/a run build", "packages/a/package.json"],
  ["pnpm --filter a test", "packages/a/package.json"],
  ["pnpm -r run build", "pnpm-workspace.yaml"],
  ["yarn workspace a test", "packages/a/package.json"],
  ["npx turbo run test", "turbo.json"],
  ["npx nx test a", "nx.json"],
  ["npx vitest run", "node_modules/.bin/vitest"],
  ["npx vitest run", "vitest.config.ts"],
  ["npm test", "scripts/test.js"],
  ["npm test", ".npmrc"],
  ["(cd packages/a && npm test)", "packages/a/package.json"],
  ["cd packages && cd a && npm test", "packages/a/package.json"],
  ["bash -c 'cd packages/a && npm test'", "packages/a/package.json"],
  ["timeout 60 npm test", "package.json"],
  ["CI=1 npm test", "package.json"],
  ["make", "Makefile"],
  ["make", "GNUmakefile"],
  ["make all -j4", "makefile"],
  ["make -f build/all.mk", "build/all.mk"],
  ["make -fbuild/all.mk", "build/all.mk"],
  ["make --file=build/all.mk", "build/all.mk"],
  ["make -C packages/a", "packages/a/Makefile"],
  ["make", "tools/gen.sh"],
  ["./run.sh", "run.sh"],
  [{ program: "./run.sh", args: ["-v"] }, "run.sh"],
  ["bash run.sh", "run.sh"],
  ["sh -eu ./run.sh", "run.sh"],
  ["env X=1 ./run.sh", "run.sh"],
  ["./run.sh", "lib/common.sh"],
  ["source lib/common.sh", "lib/common.sh"],
  ["python3 app.py", "app.py"],
  ["python3 -m app", "app.py"],
  ["python3 -m pkg.tool", "pkg/tool.py"],
  ["python3 pkg", "pkg/__main__.py"],
  ["pytest -q", "conftest.py"],
  ["pytest packages/a", "packages/a/conftest.py"],
  ["tox", "tox.ini"],
  ["nox -s test", "noxfile.py"],
  ["pip install -e .", "setup.py"],
  ["node x.js", "x.js"],
  ["node x", "x.js"],
  ["node .", "index.js"],
  ["deno task test", "deno.json"],
  ["just build", "justfile"],
  ["task build", "Taskfile.yml"],
  ["cargo test", "Cargo.toml"],
  ["cargo test", "build.rs"],
  ["cargo test -p a", "packages/a/build.rs"],
  ["cargo build", ".cargo/config.toml"],
  ["./gradlew test", "gradlew"],
  ["./gradlew test", "build.gradle.kts"],
  ["gradle :a:test", "packages/a/build.gradle"],
  ["mvn test", "pom.xml"],
  ["mvn test", "packages/a/pom.xml"],
  ["cmake --build build", "CMakeLists.txt"],
  ["cmake -P tools/x.cmake", "tools/x.cmake"],
  ["go test ./...", "go.mod"],
  ["go generate ./...", "go.work"],
  ["bundle exec rake", "Rakefile"],
  ["dotnet test", "packages/a/A.csproj"],
  ["docker build .", "Dockerfile"],
  ["npx gulp", "gulpfile.js"],
  ["npx eslint src", ".eslintrc.js"],
  ["bash scripts/*.sh", "scripts/all.sh"],
  ["F=run.sh; bash $F", "run.sh"],
  ["cat run.sh && bash run.sh", "run.sh"],
  ["for f in run.sh; do bash $f; done", "run.sh"],
  ["python3 -c 'import app'", "app.py"],
  ["node -e 'require(\"./x\")'", "x.js"],
  ["go run ./cmd/x", "cmd/x/main.go"],
  ["git commit -m x", ".husky/pre-commit"],
  ["git commit -m x", ".git/hooks/pre-commit"]
]

const named: Readonly<Record<string, string>> = {
  "package.json": '{"scripts":{"test":"node scripts/test.js"}}',
  Makefile: "all:\n\tbash tools/gen.sh >> app.log\n",
  "run.sh": "source lib/common.sh\n"
}

const identity = (command: Row[0], workspace: Workspace.TestWorkspace) => {
  const args = typeof command === "string" ? { command } : command
  return Workspace.tool("execute_command").identity?.(args, workspace.context) ?? Effect.succeed("")
}

const withFiles = Effect.gen(function* () {
  const workspace = yield* Workspace.inMemory
  for (const [name, text] of Object.entries(named)) workspace.write(name, text)
  workspace.write("packages/a/README.md", "a")
  return workspace
})

describe("an approval of a command", () => {
  for (const [command, file] of rows) {
    const shown = typeof command === "string" ? command : [command.program, ...command.args].join(" ")
    it.live(`is for what ${file} says: ${shown}`, () =>
      Effect.gen(function* () {
        const workspace = yield* withFiles
        if (named[file] === undefined) workspace.write(file, "one")
        const before = yield* identity(command, workspace)
        assert.strictEqual(yield* identity(command, workspace), before)
        workspace.write(file, `${named[file] ?? ""}two`)
        assert.notStrictEqual(yield* identity(command, workspace), before)
      })
    )
  }

  it.live("is for what it says until the command runs: after a change nothing is run", () =>
    Effect.gen(function* () {
      const workspace = yield* withFiles
      const tool = Workspace.tool("execute_command")
      const run = (args: object) => Effect.map(tool.execute(args, workspace.context), Workspace.textOf)
      workspace.write("run.sh", "echo one >> ran")
      const approved = { command: "bash run.sh" }
      yield* tool.identity?.(approved, workspace.context) ?? Effect.void
      workspace.write("run.sh", "echo two >> ran")
      assert.match(yield* run(approved), /^Not run: what it runs has changed since it was asked about/)
      assert.isFalse(fs.existsSync(workspace.at("ran")))
      const again = { command: "bash run.sh" }
      yield* tool.identity?.(again, workspace.context) ?? Effect.void
      assert.include(yield* run(again), "exit code 0")
      assert.strictEqual(workspace.read("ran"), "two\n")
    })
  )

  it.live("is not for a manifest that comes to be after it was asked", () =>
    Effect.gen(function* () {
      for (const [command, file] of [
        ["make", "GNUmakefile"],
        ["npm test", ".npmrc"],
        ["pytest", "packages/a/conftest.py"],
        ["node x", "x.js"]
      ] as const) {
        const workspace = yield* withFiles
        const before = yield* identity(command, workspace)
        workspace.write(file, "new")
        assert.notStrictEqual(yield* identity(command, workspace), before, `${command}: ${file}`)
      }
    })
  )

  it.live("stays the same when other files change, and for a command that only reads", () =>
    Effect.gen(function* () {
      const workspace = yield* withFiles
      const commands = [
        "npm test",
        "make",
        "./run.sh",
        "./run.sh >> app.log",
        "./run.sh | tee -a app.log",
        "cat app.log | ./run.sh",
        "git status",
        "ls"
      ]
      workspace.write("app.log", "one")
      const before = yield* Effect.forEach(commands, (command) => identity(command, workspace))
      for (const file of ["app.log", "src/a.ts", "notes.md", "packages/a/README.md", "dist/package.json"]) {
        workspace.write(file, "changed")
      }
      assert.deepStrictEqual(yield* Effect.forEach(commands, (command) => identity(command, workspace)), before)
      workspace.write("package.json", "{}")
      const reading = yield* Effect.forEach(["git status", "ls"], (command) => identity(command, workspace))
      assert.deepStrictEqual(reading, before.slice(-2))
    })
  )
})
