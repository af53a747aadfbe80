/** What a search of a long history takes from the last key on, without the picture of its rows. */
import * as Tasks from "../../apps/host-vscode/test/vscode/Tasks.ts"
import * as path from "node:path"
import type { Figure } from "./figures/figure.ts"
import { spread } from "./figures/spread.ts"
import type { Options } from "./programs/programs.ts"

const TASKS = 10_000
const TEXTS = ["old", "task 4242", "old is:done", "cost:<1 9", "no such words"]
/** What is typed is looked for after so many ms, and 50 rows are shown. */
const DEBOUNCE = 60
const ROWS = 50

export const measureSearch = async ({ temporary }: Options): Promise<ReadonlyArray<Figure>> => {
  const home = path.join(temporary, "long-history")
  const owner = await Tasks.owner(home)
  await owner.commit(Tasks.started(1, "Old task 1"), Tasks.ended(1, "succeeded"))
  Tasks.copies(
    home,
    1,
    Array.from({ length: TASKS - 1 }, (_, at) => [at + 2, `Old task ${at + 2}`] as const)
  )
  const find = (text: string) => owner.search(text, ROWS)
  try {
    // Taken up once, over several searches.
    for (let covered = -1; covered < TASKS; covered = (await find("")).covered);
    const taken: Array<number> = []
    for (const text of TEXTS) {
      const before = performance.now()
      await find(text)
      taken.push(DEBOUNCE + performance.now() - before)
    }
    const name = `search: ${TEXTS.length} texts in ${TASKS.toLocaleString("en-US")} tasks, ms from the last key on`
    return [{ name, belay: spread(taken), limit: { within: 120 }, digits: 0 }]
  } finally {
    await owner.close()
  }
}
