import { assert, describe, it } from "vitest"
import { namedBy, namedViolations } from "./named.ts"

const named = namedBy([
  ["packages/task-engine/src/loop/Turn.ts", "export class TaskTurn { get() {} }"],
  ["apps/host-cli/README.md", ""],
  ["docs/glossary.md", ""]
])

const violations = (text: string) => namedViolations(text, named)

describe("checkNamed", () => {
  it("accepts files and folders by their whole path or its end, and names of code", () => {
    const text = "`packages/task-engine/src` `task-engine/src/loop/Turn.ts` `loop/` `Turn.ts`"
    assert.deepStrictEqual(violations(`${text} \`TaskTurn\` \`TaskTurn.get\``), [])
  })

  it("catches a file, a folder and a name of code that are not there", () => {
    assert.deepStrictEqual(violations("`loop/Gone.ts`, `task-engine/gone`, `docs/gone.md`, `TaskGone`"), [
      "names loop/Gone.ts, which is not there.",
      "names task-engine/gone, which is not there.",
      "names docs/gone.md, which is not there.",
      "names TaskGone, which is not there."
    ])
  })

  it("catches a file that a command is given and that is not there", () => {
    assert.deepStrictEqual(violations("```sh\nvitest run src/loop/Turn.ts\nvitest run src/loop/Gone.ts\n```"), [
      "names src/loop/Gone.ts, which is not there."
    ])
  })

  it("leaves blocks of code, built files, files of a user's project and retired names alone", () => {
    const block = "```ts\n`loop/Gone.ts`\n```\n"
    const text = "`apps/host-cli/dist` `.github/gone.md` `src/main.py` `Gone`"
    assert.deepStrictEqual(violations(`${block}${text}\n## Retired names\n\`TaskGone\``), [])
  })
})
