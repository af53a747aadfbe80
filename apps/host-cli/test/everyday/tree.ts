/**
 * A folder of a project for each language, as a person has it: a repository with branches and a remote, an ignored `.env`,
 * and what builds and installs leave behind.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"

/** Files by their paths, each with a line or two; a path that ends with `/` is an empty folder. */
type Tree = ReadonlyArray<string>

const javascript: Tree = [
  "package.json",
  "package-lock.json",
  "pnpm-workspace.yaml",
  "tsconfig.json",
  "build.log",
  "dist/index.js",
  "coverage/index.html",
  "node_modules/zod/package.json",
  "node_modules/zod/index.d.ts",
  "node_modules/.bin/vitest",
  "scripts/seed.mjs",
  ...["price", "price.test", "cart", "cart.test", "old", "basket"].map((name) => `src/${name}.ts`),
  ...["core", "web"].flatMap((name) =>
    ["package.json", "tsconfig.json", "src/index.ts", "src/index.test.ts"].map((file) => `packages/${name}/${file}`)
  )
]

const python: Tree = [
  "pyproject.toml",
  "requirements.txt",
  "manage.py",
  "conftest.py",
  "shop.log",
  "data/orders.json",
  "build/lib/",
  ".pytest_cache/README.md",
  ".venv/bin/python",
  ".venv/lib/python3.12/site-packages/django/__init__.py",
  ...["__init__", "orders", "util"].map((name) => `src/shop/${name}.py`),
  ...["test_orders", "test_util"].map((name) => `tests/${name}.py`)
]

const go: Tree = [
  "go.mod",
  "go.sum",
  "Makefile",
  "bin/server",
  "cmd/server/main.go",
  "tools/main.go",
  "tools/Makefile",
  ...["parser", "parser_test", "old"].map((name) => `internal/parser/${name}.go`)
]

const rust: Tree = [
  "Cargo.toml",
  "Cargo.lock",
  "examples/a.txt",
  "target/debug/cli",
  "target/release/cli",
  "crates/cli/Cargo.toml",
  "crates/cli/src/main.rs",
  "crates/engine/Cargo.toml",
  ...["lib", "parser", "old", "unused"].map((name) => `crates/engine/src/${name}.rs`)
]

const java: Tree = [
  "pom.xml",
  "mvnw",
  "gradlew",
  "build.gradle",
  "settings.gradle",
  "target/classes/",
  ...["core", "web"].flatMap((name) => [
    `${name}/pom.xml`,
    `${name}/src/main/java/com/acme/Order.java`,
    `${name}/src/main/java/com/acme/Old.java`,
    `${name}/src/test/java/com/acme/OrderTest.java`
  ]),
  "core/target/core-1.0.jar",
  "core/target/surefire-reports/com.acme.OrderTest.txt"
]

const c: Tree = [
  "Makefile",
  "Makefile.ci",
  "CMakeLists.txt",
  "BUILD",
  "fix.patch",
  "lib/Makefile",
  "bench/bench.cc",
  "include/lexer.h",
  "data/sample.bin",
  "build/tests",
  "build/main",
  "build/test_lexer",
  ...["main", "lexer", "scan"].map((name) => `src/${name}.c`),
  "src/lexer_private.h"
]

const shell: Tree = [
  "app.log",
  "app.log.gz",
  "release.tgz",
  "release.zip",
  "change.patch",
  "notes.txt",
  ".editorconfig",
  ".github/workflows/ci.yml",
  "scripts/check.sh",
  "scripts/release.sh",
  "tmp/docs/guide.md",
  "docs/guide.bak.md",
  ...["guide", "a", "b", "old", "unused"].map((name) => `docs/${name}.md`),
  "docs/notes.txt",
  ...["sales.csv", "numbers.txt", "a.txt", "b.txt", "config.json"].map((name) => `data/${name}`)
]

const trees: Readonly<Record<string, Tree>> = { javascript, python, go, rust, java, c, shell }

const ignored = "node_modules/\ndist/\ncoverage/\ntarget/\nbuild/\nbin/\ntmp/\n.venv/\n.pytest_cache/\n*.log\n.env\n"

const patch = (name: string): string => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-${name}\n+one\n`

const textOf = (name: string): string => {
  if (name.endsWith(".json")) return "{}\n"
  if (name === "fix.patch") return patch("src/lexer.c")
  return name === "change.patch" ? patch("docs/guide.md") : `${name}\n`
}

const write = (folder: string, name: string, text: string): void => {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  if (name.endsWith("/")) mkdirSync(file, { recursive: true })
  else writeFileSync(file, text)
}

const settings = ["user.name=Ann", "user.email=ann@example.com", "init.defaultBranch=main", "commit.gpgSign=false"]

const project = (folder: string, tree: Tree): void => {
  const git = (...args: ReadonlyArray<string>): void => {
    execFileSync("git", [...settings.flatMap((one) => ["-c", one]), ...args], { cwd: folder, stdio: "ignore" })
  }
  for (const name of tree) write(folder, name, textOf(name))
  write(folder, "README.md", "# Project\n")
  write(folder, ".gitignore", ignored)
  write(folder, ".env", "TOKEN=secret\n")
  git("init", "--quiet")
  git("add", "--all")
  git("commit", "--quiet", "--message=First")
  write(folder, "README.md", "# Project\n\nMore.\n")
  git("commit", "--quiet", "--all", "--message=Second")
  write(folder, "README.md", "# Project\n\nMore of it.\n")
  git("commit", "--quiet", "--all", "--message=Third")
  git("branch", "docs/typo", "HEAD~1")
  git("remote", "add", "origin", "https://git.example.com/acme/project.git")
  git("update-ref", "refs/remotes/origin/main", "HEAD")
  git("config", "branch.main.remote", "origin")
  git("config", "branch.main.merge", "refs/heads/main")
  git("config", "user.email", "ann@example.com")
}

/** The folder of each language, made below one. */
export const make = (below: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(trees).map(([name, tree]) => {
      const folder = path.join(below, name)
      mkdirSync(folder, { recursive: true })
      project(folder, tree)
      return [name, folder]
    })
  )
