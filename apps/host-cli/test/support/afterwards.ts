/** What is done after the file of tests that runs: `afterAll` within a test is never called, and files share their modules. */
const works: Array<() => unknown> = []

/** The last thing first. */
export const afterwards = (work: () => unknown): void => void works.push(work)

/** Of `setup.ts`, after each file. */
export const finish = async (): Promise<void> => {
  for (let work = works.pop(); work !== undefined; work = works.pop()) {
    // oxlint-disable-next-line no-await-in-loop
    await work()
  }
}
