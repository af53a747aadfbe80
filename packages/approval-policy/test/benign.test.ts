/** Everyday commands of coding agents, with rules that a careful person would write: they must not ask. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import * as fs from "node:fs"
import { command } from "./fixtures.ts"

const rules = [
  ..."ls cat head tail wc sort uniq cut tr grep rg find fd sed awk jq diff stat file du tree echo printf pwd cd test [ true".split(
    " "
  ),
  ..."which date basename dirname realpath xargs mkdir touch cp mv rm sleep comm paste nl column cmp sha256sum env timeout".split(
    " "
  ),
  ..."tsc eslint prettier vitest jest pytest mypy ruff black make".split(" "),
  "git",
  "ruff check",
  "git add",
  "git commit",
  "git checkout",
  "git switch",
  "git stash",
  "git restore",
  "git fetch",
  "git pull",
  "git push",
  "git merge",
  "git mv",
  "git rm",
  "npm test",
  "npm run",
  "npm ci",
  "npm ls",
  "npm install",
  "pnpm test",
  "pnpm run",
  "pnpm install",
  "pnpm build",
  "pnpm lint",
  "pnpm exec vitest",
  "pnpm exec tsc",
  "yarn test",
  "npx tsc",
  "npx vitest",
  "npx eslint",
  "npx prettier",
  "cargo build",
  "cargo test",
  "cargo check",
  "cargo clippy",
  "cargo fmt",
  "go build",
  "go test",
  "go vet",
  "go version",
  "python --version",
  "python3 -m pytest",
  "python -m pytest",
  "python manage.py",
  "node --version",
  "node scripts/build.js",
  "docker ps",
  "docker logs",
  "gradle test",
  "mvn test",
  "dotnet test",
  "pip list",
  "curl http://localhost:3000/health",
  ..."yq xxd gcc kubectl shellcheck clang-format".split(" "),
  "go mod",
  "cargo run",
  "curl",
  "docker compose up",
  "sed -i",
  "node --test",
  "node scripts/x.js",
  "git rebase",
  "git cherry-pick",
  "git tag",
  "./gradlew test",
  "./scripts/check.sh"
]

const approvals: Approvals.Approvals = { ...Approvals.edits, commands: { allow: rules, deny: [], other: "ask" } }

const commands = fs
  .readFileSync(new URL("benign.txt", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .concat("cat > src/new.ts <<'EOF'\nexport const a = 1\nEOF", "cat <<'EOF' >> notes.md\nmore\nEOF")

describe("everyday commands", () => {
  it("are at least 200, and at most 5 % of them ask", () => {
    const asking = commands.flatMap((text) => {
      const decision = ApprovalPolicy.decide(command(text, { approvals }))
      return decision.decision === "allow" ? [] : [`${text}: ${decision.rule}: ${decision.reason}`]
    })
    assert.isAtLeast(commands.length, 200)
    assert.isAtMost(asking.length / commands.length, 0.05, asking.join("\n"))
    const share = ((1 - asking.length / commands.length) * 100).toFixed(1)
    process.stdout.write(`${commands.length} everyday commands, ${share} % not asked; asked:\n${asking.join("\n")}\n`)
  })
})
