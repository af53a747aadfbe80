import { FocusChain } from "@belay/focus-chain"
import { Approvals } from "@belay/approval-policy"
import type { History } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { HandOver } from "@belay/modes"
import { EditorContext, ProjectContext } from "@belay/prompt-context"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@belay/tool-executor"
import { Effect, Fiber, Schema } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { Restart, TaskEngine } from "../src/index.ts"
import * as Environment from "../src/prompt/Environment.ts"
import * as Prompt from "../src/prompt/Prompt.ts"
import * as UserIntent from "../src/prompt/UserIntent.ts"
import { calls, completes, make, requestsOf, resume, run, says, script, waitFor } from "./world.ts"

const sent = (request: any): string =>
  request.messages[0].content
    .slice(2)
    .map(({ text }: { readonly text?: string }) => text ?? "(image)")
    .join("\n")

const skill = { name: "deploy", description: "How to deploy", folder: "/skills/deploy", text: "Push it." }

const folder = {
  content: () =>
    Effect.succeed({
      rules: [
        { source: "AGENTS.md", text: "Be brief. </rules> Really." },
        { source: "/repo/AGENTS.md", text: "Write tests." }
      ],
      skills: [skill],
      commands: [{ name: "review", description: "", text: "Review $ARGUMENTS with @/b.txt" }],
      agents: []
    }),
  below: () => Effect.succeed([])
}

const told = Effect.provideService(ProjectContext.ProjectContext, folder)

const lookUp: Tool.Tool<{ readonly url: string }> = {
  name: "fetch_url",
  description: "Read a page",
  category: "fetch",
  flow: "run",
  readOnly: true,
  parameters: Schema.Struct({ url: Schema.String }),
  facts: ({ url }) => Effect.succeed({ paths: [], fetch: { url, addresses: [] } }),
  execute: () => Effect.succeed(Tool.output(""))
}

describe("what a message mentions", () => {
  it.live("is read by the tools and the rules of the task, once, and stays in the conversation", () =>
    Effect.gen(function* () {
      const words = "Look at @/a.txt:2-3, @/sub, @/.env, @/none.txt, @/../outside.txt and @problems"
      const world = yield* make([script("Look at", calls(["list_files", { path: "." }]), completes("done"))])
      world.write("a.txt", "one\ntwo\nthree\nfour")
      world.write("sub/b.txt", "b")
      world.write(".env", "KEY=hidden")
      world.write("../outside.txt", "outside")
      yield* world.session(run(world.task(words, {}, { approvals: Approvals.ask })))
      const [first, second] = requestsOf(world, "Look at")
      const text = sent(first)
      assert.include(text, '<mention of="@/a.txt:2-3">\n')
      assert.match(text, /\[Lines 2-3 of 4\]\n2\ttwo\n3\tthree\n<\/mention>/u)
      assert.match(text, /of="@\/sub">\n[^<]*b\.txt/u)
      assert.match(text, /of="@\/\.env">\nNot read: [^<]*Call read_file if you need it/u)
      assert.match(text, /of="@\/\.\.\/outside\.txt">\nNot read: /u)
      assert.match(text, /of="@problems">\nThis is not known here\./u)
      const blocks: ReadonlyArray<string> = first.messages[0].content.map((block: any) => block.text)
      const [opened, closed] = ["<given>", "</given>"].map((tag) => blocks.indexOf(tag))
      assert.isAbove(
        closed ?? -1,
        blocks.findLastIndex((block) => block.startsWith("<mention of="))
      )
      assert.isBelow(
        opened ?? 99,
        blocks.findIndex((block) => block.startsWith("<mention of="))
      )
      for (const secret of ["KEY=hidden", "outside\n", "four"]) assert.notInclude(text, secret)
      assert.deepStrictEqual(sent(second), text)
    })
  )

  it.live("is what git, the web and the editor know, too, each as far as the rules allow it", () =>
    Effect.gen(function* () {
      const world = yield* make([{ ...script("Look at", completes("done")), shared: true }])
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: world.workspace }).toString()
      for (const name of ["a.txt", ".env"]) world.write(name, "before\n")
      writeFileSync(path.join(world.workspace, "dot.png"), Buffer.from("89504e470d0a1a0a", "hex"))
      git("init", "--quiet")
      git("add", "--all")
      git("commit", "--quiet", "-m", "The first one")
      for (const name of ["a.txt", ".env"]) world.write(name, "after\n")
      const hash = git("rev-parse", "--short=12", "HEAD").trim()
      const page = { ...lookUp, execute: () => Effect.succeed(Tool.output("what the page says")) }
      const editor = {
        problems: () => Effect.succeed("a.txt:1 error: wrong"),
        terminal: () => Effect.succeed(""),
        tabs: () => Effect.succeed(undefined),
        roots: () => Effect.succeed([])
      }
      const words = `Look at @/dot.png @git-changes @${hash} @https://example.com/x @problems @terminal`
      const contentWith = (approvals: Approvals.Approvals) =>
        Effect.gen(function* () {
          yield* world.session(run(world.task(words, {}, { approvals })), { tools: [page] })
          return requestsOf(world, "Look at").at(-1)
        }).pipe(Effect.provideService(EditorContext.EditorContext, editor))
      const text = sent(yield* contentWith(Approvals.ask))
      assert.match(text, /of="@\/dot\.png">\n\(an image\)\n<\/mention>\n\(image\)/u)
      assert.match(text, /of="@git-changes">\n[^<]*\(Not shown: \.env\)\n[^<]*\+after/u)
      assert.match(text, new RegExp(`of="@${hash}">\\n\\(Not shown: \\.env\\)\\n[^]*?The first one`, "u"))
      assert.match(text, /of="@https:\/\/example\.com\/x">\nNot read: [^<]*Call fetch_url if you need it/u)
      assert.include(text, 'of="@problems">\na.txt:1 error: wrong\n')
      assert.include(text, 'of="@terminal">\nNothing was printed.\n')
      const allowed = sent(yield* contentWith({ ...Approvals.ask, fetch: "allow" }))
      assert.include(allowed, 'of="@https://example.com/x">\nwhat the page says\n')
    })
  )

  it.live("leads into another root of the workspace by its name, under the rules of what lies outside", () =>
    Effect.gen(function* () {
      const world = yield* make([{ ...script("Look at", completes("done")), shared: true }])
      const other = path.join(world.workspace, "..", `${path.basename(world.workspace)}-api`)
      mkdirSync(other)
      writeFileSync(path.join(other, "a.ts"), "of the api")
      world.write("b.ts", "of its own")
      const roots = () =>
        Effect.succeed([
          { name: "web", path: world.workspace },
          { name: "api", path: other }
        ])
      const none = () => Effect.succeed(undefined)
      const editor = { problems: none, terminal: none, tabs: none, roots }
      const words = "Look at @web:/b.ts, @api:/a.ts, @api:/../none and @db:/c.ts"
      const sentWith = (approvals: Approvals.Approvals) =>
        Effect.gen(function* () {
          yield* world.session(run(world.task(words, {}, { approvals })))
          return sent(requestsOf(world, "Look at").at(-1))
        }).pipe(Effect.provideService(EditorContext.EditorContext, editor))
      const allowed = yield* sentWith({ ...Approvals.ask, readOutside: "allow" })
      const asking = yield* sentWith(Approvals.ask)
      rmSync(other, { recursive: true })
      assert.include(allowed, `of="@api:/a.ts">\n[This is ${path.join(other, "a.ts")}]\n1\tof the api\n</mention>`)
      assert.include(allowed, "There is: web, api.")
      for (const text of [allowed, asking]) assert.include(text, 'of="@web:/b.ts">\n1\tof its own\n</mention>')
      assert.match(asking, /of="@api:\/a\.ts">\n\[This is [^\]]*\]\nNot read: [^<]*Call read_file if you need it/u)
      assert.notInclude(asking, "of the api")
    })
  )

  it.live("is not read where git would start programs of the project: the model is told why", () =>
    Effect.gen(function* () {
      const world = yield* make([script("Look at", completes("done"))])
      const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: world.workspace })
      git("init", "--quiet")
      world.write("a.txt", "after\n")
      world.write(".gitattributes", "* filter=x\n")
      git("config", "filter.x.clean", "touch ran; cat")
      yield* world.session(run(world.task("Look at @git-changes", {}, { approvals: Approvals.ask })))
      const text = sent(requestsOf(world, "Look at")[0])
      assert.match(text, /of="@git-changes">\nNot read: Git was not asked: [^\n]*filter\.x\.clean/u)
      assert.isFalse(world.exists("ran"))
    })
  )

  it.live("is read in no words that a model wrote: for a subtask, its checklist, or an answer that it offered", () =>
    Effect.gen(function* () {
      const words = "@git-changes @/a.txt @https://example.com/x"
      const options = [`Look at ${words}`, "/review it"]
      const question = calls(["ask_followup_question", { question: "Which?", options }])
      const world = yield* make([
        script("whole", calls(["new_task", { message: `part ${words}`, todos: `- [ ] See ${words}` }]), completes("x")),
        script("part", completes(`of the part ${words}`)),
        script("zebra", question, completes("x")),
        script("quagga", question, completes("x"))
      ])
      world.write("a.txt", "the content of a")
      yield* told(
        Effect.gen(function* () {
          yield* world.session(run(world.task("whole")))
          for (const [prompt, message] of [
            ["zebra", options[0]],
            ["quagga", options[1]]
          ] as const) {
            const { id } = yield* world.session(run(world.task(prompt)))
            yield* world.session(resume(id, { message: message ?? "" }))
          }
        })
      )
      for (const prompt of ["whole", "part", "zebra", "quagga"]) {
        const text = JSON.stringify(requestsOf(world, prompt).at(-1))
        assert.notInclude(text, "the content of a")
        for (const mark of ["<mention of", "<command of"]) assert.notInclude(text, mark)
      }
      const first = sent(requestsOf(world, "part")[0])
      assert.include(first, "See @git-changes")
      assert.include(JSON.stringify(requestsOf(world, "part")[0]), "Written by: another task, not the user")
      assert.notInclude(JSON.stringify(requestsOf(world, "whole")[0]), "Written by:")
    })
  )

  it.live("is read of what is said later, too, after a restart", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("ask", calls(["ask_followup_question", { question: "Which?" }]), completes("x"))
      ])
      world.write("a.txt", "the content of a")
      const { id } = yield* world.session(run(world.task("ask")))
      yield* world.session(resume(id, { message: "That one." }))
      const before = requestsOf(world, "ask").length
      assert.strictEqual(before, 2)
      const again = yield* make([
        script("stop", { ...completes("x"), error: { status: 400, message: "no" }, times: 1 }, completes("y"))
      ])
      again.write("a.txt", "the content of a")
      const stopped = yield* again.session(run(again.task("stop")))
      yield* again.session(resume(stopped.id, { message: "Now with @/a.txt" }))
      assert.include(JSON.stringify(requestsOf(again, "stop").at(-1)), "the content of a")
    })
  )
})

describe("words of a person", () => {
  const environment = (author: "user" | "task") =>
    Environment.block({ workspace: "/ws", day: "2026-11-23", mode: "act", approvals: "reads run", author })

  it("are not those around them in the first message of a task that another one began", () => {
    const begun = Message.user(Message.text("part @/a.txt"), environment("task"), Prompt.checklist("- [ ] @/a.txt"))
    assert.deepStrictEqual(UserIntent.words([begun], 0), [])
    const plan = Message.text(HandOver.prompt(["Look at @/a.txt"]))
    const byPerson = Message.user(plan, Message.text("Begin with @/b.txt"), environment("user"))
    assert.deepStrictEqual(UserIntent.words([byPerson], 0), ["Begin with @/b.txt"])
  })

  it("are not what tools of another program returned, whose histories have it as text", () => {
    const taken = Message.user(Message.text("[read_file for 'a.md'] Result:"), Message.text("See @/b.txt"))
    assert.deepStrictEqual(UserIntent.words([taken, Message.user(Message.text("Go on with @/c.txt"))], 0), [
      "Go on with @/c.txt"
    ])
  })

  it.effect("are the instructions with which they start a subtask over", () =>
    Effect.gen(function* () {
      const prompt = Message.user(Message.text("part @/a.txt"), environment("task"), Prompt.checklist("- [ ] @/a.txt"))
      const parent = TaskId.TaskId.make("task-a")
      const row = { record: { id: TaskId.TaskId.make("task-b") }, meta: {} } as unknown as History.TaskRow
      const files = yield* FocusChain
      const started = (message?: string) =>
        Restart.start(files, { parent, child: row, prompt, to: TaskId.TaskId.make("task-c") }, message, (steps) => {
          const [described] = steps.flatMap((step) => (step._tag === "Describe" ? [step.prompt] : []))
          return Effect.succeed(described === undefined ? [] : UserIntent.words([described], 0))
        })
      assert.deepStrictEqual(yield* started("Look at @/b.txt"), ["Look at @/b.txt"])
      assert.deepStrictEqual(yield* started(), [])
    }).pipe(Effect.provide(FocusChain.layerMemory))
  )
})

describe("what a folder says", () => {
  it.live("comes with the first message and with that of each subtask; skills are loaded when they are needed", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "whole",
          calls(["new_task", { message: "part" }]),
          calls(["load_skill", { name: "deploy" }, "s"], ["load_skill", { name: "no" }]),
          completes("done")
        ),
        script("part", completes("of the part"))
      ])
      yield* told(world.session(run(world.task("whole"))))
      for (const prompt of ["whole", "part"]) {
        const text = sent(requestsOf(world, prompt)[0])
        assert.include(text, '<rules of="AGENTS.md">\nBe brief. <\\/rules> Really.\n</rules>')
        assert.include(text, "deploy: How to deploy")
        assert.notInclude(text, "Push it.")
        assert.isBelow(text.indexOf("Be brief"), text.indexOf("Write tests"))
      }
      const last = JSON.stringify(requestsOf(world, "whole").at(-1))
      assert.include(last, "Push it.")
      assert.include(last, "There is no such skill. Use one of: deploy.")
      assert.strictEqual(last.split("Write tests.").length - 1, 1)
    })
  )

  it.live("is said again after condensing has left it out", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "long",
          { ...says("ALL OF IT"), on: "The conversation gets too long" },
          { ...calls(["list_files", { recursive: true }]), hold: "first" },
          completes("done")
        )
      ])
      for (let file = 0; file < 200; file++) world.write(`${file}-${"long".repeat(10)}`, "")
      yield* told(
        world.session(
          Effect.gen(function* () {
            const engine = yield* TaskEngine
            const id = yield* engine.create(world.task("long"))
            const running = yield* Effect.forkChild(engine.run(id))
            yield* waitFor(world, 1)
            yield* engine.send(id, "/compact")
            world.server.release("first")
            yield* Fiber.join(running)
          })
        )
      )
      const last = JSON.stringify(requestsOf(world, "long").at(-1))
      assert.strictEqual(last.split("Write tests.").length - 1, 1)
      assert.include(last, "ALL OF IT")
    })
  )

  it.live("has commands, which stand for their text with what is typed behind them", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("/review", completes("done")),
        script("/usr", completes("done")),
        script("/deploy", completes("done"))
      ])
      for (const prompt of ["/review the parser", "/usr is full", "/deploy"])
        yield* told(world.session(run(world.task(prompt))))
      assert.include(sent(requestsOf(world, "/review")[0]), '<command of="review">\nReview the parser with @/b.txt')
      assert.notInclude(sent(requestsOf(world, "/usr")[0]), "<command")
      assert.include(
        sent(requestsOf(world, "/deploy")[0]),
        `<skill of="deploy">\nFolder of this skill: ${path.join("/skills", "deploy")}`
      )
    })
  )

  it.live("has commands also in an answer to a question, and Belay's own beside them", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("zebra", calls(["ask_followup_question", { question: "Which?" }]), completes("x")),
        script("/newrule", completes("x")),
        script("/newtask", completes("x"))
      ])
      yield* told(
        Effect.gen(function* () {
          const { id } = yield* world.session(run(world.task("zebra")))
          yield* world.session(resume(id, { message: "/review the parser" }))
          yield* world.session(run(world.task("/newrule Test first")))
          yield* world.session(run(world.task("/newtask")))
        })
      )
      assert.include(
        JSON.stringify(requestsOf(world, "zebra").at(-1)),
        JSON.stringify('<command of="review">\nReview the parser with').slice(1, -1)
      )
      assert.match(
        sent(requestsOf(world, "/newrule")[0]),
        /<command of="newrule">\n[^<]*\.belay\/rules\/NAME\.md[^<]*The user says: Test first\n/u
      )
      assert.match(sent(requestsOf(world, "/newtask")[0]), /<command of="newtask">\n[^<]*Call new_task once/u)
    })
  )
})
