import { Hook, HookScripts } from "@belay/tool-executor/hooks"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Workspace from "../workspace/fixtures/Workspace.ts"

describe("the files that a hook runs", () => {
  const workspace = path.resolve("/ws")

  it("are programs of the workspace, and what an interpreter runs first, with a slash or without", () => {
    const lines: ReadonlyArray<readonly [command: string, ...files: ReadonlyArray<string>]> = [
      ["./guard.sh --strict", "guard.sh"],
      ['"$CLAUDE_PROJECT_DIR"/guards/guard.sh', "guards/guard.sh"],
      ["${PWD}/guard.sh", "guard.sh"],
      ["python3 guard.py", "guard.py"],
      ["/usr/bin/env python3.12 -u guard.py", "guard.py"],
      ["/usr/bin/node guard.mjs --log out/log.txt", "guard.mjs"],
      ["bash guard", "guard"],
      ["deno run --allow-read ./guard.ts", "guard.ts"],
      ["uv run guard.py", "guard.py"],
      ["A=1 exec ./guard.sh", "guard.sh"],
      ["if ./one.sh; then timeout 5s ./two.sh | sh three.sh; fi", "one.sh", "two.sh", "three.sh"],
      ["./tools/node guard.js", "tools/node", "guard.js"],
      ["jq -e .tool_name"],
      ["bun run guard"],
      ["guard.sh"],
      ["/usr/bin/guard.sh ../x"]
    ]
    for (const [command, ...files] of lines)
      assert.deepStrictEqual(HookScripts.named(command, workspace), files, command)
  })

  it.live("have changed when they are other files, appear or are gone, or are files no more", () =>
    Effect.gen(function* () {
      const { root } = yield* Workspace.make
      const file = path.join(root, "guard.py")
      const stated = (): Hook.Hook =>
        HookScripts.stated(
          [{ event: "PreToolUse", command: "python3 guard.py", timeoutSeconds: 60, onFailure: "ask", source: "user" }],
          root
        )[0] ?? assert.fail()
      const absent = stated()
      fs.writeFileSync(file, "")
      assert.strictEqual(HookScripts.changed(absent, root), "guard.py")
      const there = stated()
      assert.isUndefined(HookScripts.changed(there, root))
      fs.rmSync(file)
      assert.strictEqual(HookScripts.changed(there, root), "guard.py")
      if (process.platform === "win32") return
      // A device, which may never end, is no file of no content.
      fs.symlinkSync("/dev/null", file)
      assert.strictEqual(HookScripts.changed(there, root), "guard.py")
    })
  )
})
