/**
 * Lines that do harm under a fault of `Faults.ts` or without a rule of `Mutations.ts`, and none with the model as it is. A
 * test run tries them instead of thousands that are generated: `pnpm proof:files --faults` and `pnpm proof:mutants` print the
 * line that noticed each, for the day when another one is needed.
 */
import type { Line } from "./Generator.ts"

/** Under the faults. */
const faulty: ReadonlyArray<string> = [
  "tail --lines=2 .npmrc",
  "diff -rN empty .",
  "cat d*/o*",
  "ln -s ../outside y && cp a ./y/out",
  "cp -RL docs y\ngit ls-files",
  "rm -rf sub",
  "git ls-files | xargs strings",
  "xargs -I X cp a X < protected.list",
  "git commit -q -am x >> fixtures/tools/Makefile",
  "rm -r nest",
  "git archive evil | tar -x",
  "sort --files0-from=.npmrc",
  "cp fixtures/tools/Makefile .",
  "git checkout -q other && cat y/dir/inner.txt",
  "tar --checkpoint-action=exec=id -cf src/new -T protected.list",
  "find src/new | xargs --arg-file=list cat",
  "git clone -q . y"
]

/** Without one of the rules. */
const ruleless: ReadonlyArray<string> = [
  "git restore --source=other . && cat docs/*",
  "cp -rx docs y; cp a y/dir/new",
  "mv fixtures/tools y",
  "find fixtures/evil/ -name Makefile -exec cp {} . \\;",
  "find docs -type l -exec cp a ./{} \\;",
  "find docs -type f -o -type l | xargs cut -c1-40",
  "cd src && ls -l --time-style=+../.env | xargs -n1 cat",
  "cd docs && ls | xargs cat",
  "cd src && git ls-files .. | xargs cat",
  "cd src && git diff -z --name-only main climbs | xargs -0 -n1 cat",
  "cd fixtures/plain && grep -el list | xargs cat",
  "cd src && grep -l x '../link-env y' 2>&1 | xargs -n1 cat",
  "mkdir -p docs/deep/link-out && touch docs/deep/link-out/x && find docs/deep -type f | xargs -d / -n1 cat",
  "cd sub && git diff",
  "command sort src/b.ts -o link-docs/out",
  "git log --output=key.pem",
  "grep -d recurse . config",
  "git diff --no-index empty config",
  "mkdir new && git status",
  "for f in docs/*; do cat $f; done",
  "rm -rf docs/dir/",
  "rm --recurs sub"
]

export const witnesses: ReadonlyArray<Line> = [...faulty, ...ruleless].map((text) => ({ text }))
