/** Everyday commands of coding agents, with rules that a careful person would write: they must not ask. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
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
  "./gradlew test",
  "./scripts/check.sh"
]

const approvals: Approvals.Approvals = { ...Approvals.edits, commands: { allow: rules, deny: [], other: "ask" } }

const commands = String.raw`
ls
ls -la
ls -la src
ls -R src | head -50
ls -1 packages
ls src/*.ts
cat package.json
cat src/a.ts
cat -n src/a.ts | sed -n '10,40p'
cat src/a.ts src/b.ts
cat tsconfig.json | jq .compilerOptions
head -n 20 README.md
head -50 src/a.ts
head -c 200 data.bin
tail -n 100 app.log
tail -20 app.log | grep ERROR
wc -l src/a.ts
wc -l src/*.ts
find . -name "*.ts" | wc -l
find . -type f -name "*.ts" | head -30
find . -type d -not -path "./node_modules/*" | sort
find src -name '*.test.ts' -newer package.json
find . -maxdepth 2 -type f
find . -name "*.py" -not -path "*/venv/*" | xargs wc -l
find . -name package.json -o -name "requirements*.txt" | xargs cat
find src -type f -exec grep -l TODO {} +
find . -empty -type d
find . \( -name "*.js" -o -name "*.ts" \) -print
find . -size +1M -type f
grep -rn "TODO" src
grep -rnE "class|function|def|interface" --include="*.ts" src
grep -rnE "TODO|FIXME|XXX|HACK" .
grep -rh "import" . | sort | uniq -c
grep -rh "import" src | sort | uniq -c | sort -rn | head -20
grep -c "test" src/a.ts
grep -i error app.log | tail -5
grep -A3 -B3 "function main" src/a.ts
grep -v '^#' config.ini
grep -rl "useState" src | wc -l
grep -n 'a\|b' src/a.ts
grep -E "^(export|import)" src/index.ts
rg "TODO"
rg -n "function \w+" src
rg -l useEffect --type ts
rg -i "error" -g '*.log'
rg --files | head
rg --files -g '*.md'
rg -c import src | sort -t: -k2 -rn
fd -e ts
fd test src
sed -n '1,20p' src/a.ts
sed -n 5p README.md
sed 's/foo/bar/g' src/a.ts
sed -e 's/a/b/' -e '/^$/d' notes.txt
sed -n '/start/,/end/p' a.txt
awk '{print $1}' a.txt
awk -F: '{print $1, $3}' data.csv
awk 'NR==10' a.txt
awk '{sum += $2} END {print sum}' a.txt
awk '/error/ {count++} END {print count}' app.log
jq . data.json
jq -r '.name' package.json
jq '.dependencies | keys' package.json
cat package.json | jq '.scripts'
cut -d, -f1 data.csv
cut -d' ' -f2 a.txt | sort -u
sort a.txt | uniq -c | sort -rn
sort -k2 -n a.txt
tr 'a-z' 'A-Z' < a.txt
diff a.txt b.txt
diff -u src/a.ts src/b.ts
diff -rq src lib
stat package.json
file logo.png
du -sh node_modules
du -sh src/*
du -h --max-depth=1 | sort -h
tree -L 2
tree -I node_modules src
echo hello
echo "done"
echo $HOME
echo "exit: $?"
echo "$PWD"
echo 'a b' | wc -w
printf '%s\n' a b c
pwd
pwd && ls
which node
which python3 git
date
date +%Y-%m-%d
date -u +"%Y-%m-%dT%H:%M:%SZ"
basename src/a.ts .ts
dirname src/a.ts
realpath src
test -f package.json && echo yes
[ -d node_modules ] && echo installed || echo missing
[ -f .env.example ] && cat .env.example
test -e a.txt || echo none
true
cd packages && ls
cd src && grep -rn foo .
cd packages/core && npm test
cd sub && git status
cd /ws/proj && npm test
cd /ws/proj/sub && ls -la
git status
git status -s
git status --porcelain
git diff
git diff --stat
git diff HEAD~1
git diff --cached
git diff --name-only main
git diff main...HEAD -- src
git diff HEAD -- src/a.ts | head -50
git log --oneline -10
git log --oneline --graph --all | head -20
git log -p -1 src/a.ts
git log --since="2 weeks ago" --author=me
git log --format='%h %s' -5
git log -n 5 --stat
git show HEAD
git show HEAD:src/a.ts
git show --stat HEAD~2
git branch
git branch -a
git branch --show-current
git branch -vv
git blame src/a.ts
git blame -L 10,20 src/a.ts
git rev-parse HEAD
git rev-parse --show-toplevel
git rev-parse --abbrev-ref HEAD
git ls-files
git ls-files | wc -l
git ls-files '*.ts' | head
git remote -v
git tag --list
git describe --tags
git stash list
git grep -n TODO
git config --get user.name
git shortlog -sn
git --no-pager log -3
git add -A
git add src/a.ts src/b.ts
git add . && git commit -m "Fix the parser"
git commit -m 'Add tests'
git commit -am "Update"
git commit --amend --no-edit
git checkout -b feature/x
git checkout main
git switch -c fix
git switch main
git restore src/a.ts
git stash
git stash pop
git fetch origin
git pull --rebase
git push -u origin feature/x
git push origin main
git merge --no-ff feature/x
git mv src/a.ts src/c.ts
npm test
npm test -- --run src/a.test.ts
npm test 2>&1 | tail -40
npm test > /dev/null 2>&1; echo $?
npm run build
npm run lint -- --fix
npm run test:unit --silent
npm run typecheck && npm run lint
npm ci
npm ls --depth=0
npm install
NODE_ENV=test npm test
CI=1 npm test
FORCE_COLOR=0 npm run build 2>&1 | head -100
pnpm install --frozen-lockfile
pnpm test
pnpm -r test
pnpm run build
pnpm build && pnpm test
pnpm lint
pnpm exec vitest run src/a.test.ts
pnpm exec tsc --noEmit
yarn test
npx tsc --noEmit
npx vitest run
npx eslint src --ext .ts
npx prettier --check .
tsc --noEmit -p tsconfig.json
tsc -b
eslint . --fix
prettier --write src/a.ts
vitest run test/a.test.ts
vitest run -t "parses"
jest --coverage
jest src/a.test.js -t 'adds'
pytest
pytest -x -q
pytest tests/test_a.py::test_b -v
pytest -k "not slow" --maxfail=1 2>&1 | tail -30
python3 -m pytest tests -q
python -m pytest
python manage.py migrate
python --version
mypy src
ruff check .
ruff check --fix src
black --check .
make
make test
make -j4 build
cargo build
cargo build --release
cargo test
cargo test parser -- --nocapture
cargo check 2>&1 | head -50
cargo clippy --all-targets -- -D warnings
cargo fmt --check
go build ./...
go test ./...
go test -v -run TestParse ./pkg/parser
go vet ./...
go version
node --version
node scripts/build.js --watch
docker ps -a
docker logs --tail=100 web
gradle test
mvn -q test
dotnet test --no-build
pip list
curl -s http://localhost:3000/health
./gradlew test
./scripts/check.sh
mkdir -p src/components
touch src/new.ts
cp src/a.ts src/b.ts
cp -r src/a src/b
mv old.ts src/new.ts
rm src/old.ts
rm -rf dist
rm -rf dist && npm run build
rm -f src/*.tmp
echo "export {}" > src/empty.ts
sleep 2
timeout 60 npm test
timeout 30 cargo test
env NODE_ENV=test npm test
git log --oneline | head -5 # the newest
ls -la | grep -v node_modules
ps aux | grep node
comm -12 a.txt b.txt
nl src/a.ts | sed -n '1,5p'
sha256sum package-lock.json
for f in src/*.ts; do wc -l "$f"; done
if [ -f x ]; then cat x; fi
export NODE_ENV=test
`
  .trim()
  .split("\n")
  .concat("cat > src/new.ts <<'EOF'\nexport const a = 1\nEOF", "cat <<'EOF' >> notes.md\nmore\nEOF")

describe("everyday commands", () => {
  it("are at least 200, and at most 5 % of them ask", () => {
    const asking = commands.flatMap((text) => {
      const decision = ApprovalPolicy.decide(command(text, { approvals }))
      return decision.decision === "allow" ? [] : [`${text}: ${decision.rule}: ${decision.reason}`]
    })
    assert.isAtLeast(commands.length, 200)
    assert.isAtMost(asking.length / commands.length, 0.05, asking.join("\n"))
    if (process.env["BELAY_PROOF"] !== undefined) process.stdout.write(`${commands.length}\n${asking.join("\n")}\n`)
  })
})
