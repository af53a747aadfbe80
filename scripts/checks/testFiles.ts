// The longest file of tests.
//
// Guarantee: no file of tests, and nothing beside them that they share, has more lines than its one concept needs, but for
// those named here, each of which has to need it. Fixtures are data and no tests.
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { repositoryFiles } from "./workspace.ts"

const most = 400

/** Longer files, by their paths from the root, and why each stays whole. */
const whole: ReadonlyMap<string, string> = new Map([
  ["apps/host-vscode/test/window.test.ts", "it opens one window of VS Code, and a second file would open another one"]
])

export function checkTestFiles(root: string): ReadonlyArray<string> {
  const files = repositoryFiles(root).filter((file) => isTest(file) && existsSync(path.join(root, file)))
  return testFileViolations(new Map(files.map((file) => [file, readFileSync(path.join(root, file), "utf8")])))
}

/** Texts by their paths from the root; with what may be longer. */
export function testFileViolations(
  texts: ReadonlyMap<string, string>,
  allowed: ReadonlySet<string> = new Set(whole.keys())
): ReadonlyArray<string> {
  const lines = [...texts].map(([file, text]) => [file, text.trimEnd().split("\n").length] as const)
  const long = new Map(lines.filter(([, count]) => count > most))
  return [
    ...[...long]
      .filter(([file]) => !allowed.has(file))
      .map(([file, count]) => `${file} has ${count} lines, more than ${most}: split it by concept.`),
    ...[...allowed]
      .filter((file) => !long.has(file))
      .map(
        (file) => `${file} may have more than ${most} lines and has not: take it out of scripts/checks/testFiles.ts.`
      )
  ]
}

/** By its path from the root. */
export function isTest(file: string): boolean {
  return /(?:^|\/)test\/.*\.tsx?$|\.test\.tsx?$/.test(file) && !file.includes("/fixtures/")
}
