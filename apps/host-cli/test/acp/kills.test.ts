/** An agent that is killed again and again, each time a little later: nothing is lost, and nothing is done twice (3). */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { type Peer, selected, world } from "../support/Acp.ts"
import { completes, use } from "../support/asking.ts"
import { belay, json } from "../support/cli.ts"

const command = (name: string) => use("execute_command", { command: `echo ran >> ${name}.txt` }, name)
const starts = (message: string, id: string) => use("new_task", { message }, id)

/** Resolves with whether the prompt was answered before this many updates came; else the agent is killed. */
const until = async (peer: Peer, sessionId: string, most: number): Promise<boolean> => {
  const done = peer.prompt(sessionId, "The whole").then(
    () => true,
    () => false
  )
  const killed = peer
    .until(() => peer.updates.length >= most)
    .then(() => peer.process.kill())
    .then(() => false)
  return Promise.race([done, killed])
}

describe("an agent that is killed after one update more each time", () => {
  it("brings a task with two subtasks to its end, and runs each command at most once", async () => {
    const { cwd, env, open } = await world([
      {
        match: { prompt: "The whole" },
        shared: true,
        answers: [command("root"), starts("Part a", "a"), completes("All of it.")]
      },
      { match: { prompt: "Part a" }, shared: true, answers: [command("a"), starts("Part b", "b"), completes("A.")] },
      { match: { prompt: "Part b" }, shared: true, answers: [command("b"), completes("B.")] }
    ])
    const permits = () => selected("allow")
    const first = await open({ permits })
    const sessionId = await first.create(cwd)
    let isDone = await until(first, sessionId, 1)
    let kills = 1
    for (; !isDone && kills < 40; kills += 1) {
      const peer = await open({ permits })
      await peer.load(sessionId, cwd)
      isDone = await until(peer, sessionId, peer.updates.length + 2 + kills)
    }
    assert.isAbove(kills, 4)
    const shown = json((await belay(["task", "show", sessionId, "--output", "json"], env, cwd)).stdout)
    assert.deepInclude(shown, { status: "completed", outcome: "succeeded", result: "All of it." })
    const { sessions } = await (await open()).agent.request("session/list", {})
    assert.deepStrictEqual(
      sessions.map(({ sessionId: id }) => id),
      [sessionId]
    )
    for (const name of ["root", "a", "b"]) {
      // A command that had begun is not run again, whether it was done or not.
      const lines = readFileSync(path.join(cwd, `${name}.txt`), { encoding: "utf8", flag: "a+" })
      assert.isAtMost(lines.split("\n").length - 1, 1, name)
    }
  })
})
