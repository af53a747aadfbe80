import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import {
  ApprovalPolicy,
  Approvals,
  Decision,
  Fingerprint,
  type PolicyInput,
  ProtectedPath
} from "@belay/approval-policy"
import { command, cwd, edit, fact, input, file as path, read } from "./fixtures.ts"

const { decide, unattended } = ApprovalPolicy
const { isWider } = Decision
const { canonicalArguments, fingerprint } = Fingerprint

const one = <const T>(...items: readonly [T, ...Array<T>]): Arbitrary.Arbitrary<T> =>
  Arbitrary.map(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: items.length - 1 }))),
    (at) => items[at] ?? items[0]
  )

const setting = one<Approvals.Setting>("allow", "ask", "deny")
const flag = one(true, false)
const texts = one(
  "git status",
  "ls",
  "npm test",
  "curl x",
  "curl",
  "ls && curl x",
  "echo a > src/a.ts",
  "rm -rf /",
  "git"
)
const list = Arbitrary.array(texts, { maxLength: 4 })
const pattern = one("**", "src/**", "src/*.ts", "*.md", "docs/{a,b}/**", "src/a.ts")
const entry: Arbitrary.Arbitrary<Approvals.PathEntry> = Arbitrary.map(
  Arbitrary.all([pattern, setting, setting, one("read", "edit", "both")]),
  ([pattern, read, edit, which]) =>
    which === "read" ? { pattern, read } : which === "edit" ? { pattern, edit } : { pattern, read, edit }
)
const mcpKey = one("s/t", "s/*", "*", "s/u", "r/t", "resource:s/t", "resource:s/*", "resource:r/t")
const mcpKeys = Arbitrary.array(Arbitrary.all([mcpKey, setting]), { maxLength: 5 })

const approvals: Arbitrary.Arbitrary<Approvals.Approvals> = Arbitrary.map(
  Arbitrary.all([
    Arbitrary.array(setting, { minLength: 8, maxLength: 8 }),
    flag,
    one<"allow" | "ask" | undefined>("allow", "ask", undefined),
    one<"allow" | "ask" | undefined>("allow", "ask", undefined),
    list,
    list,
    mcpKeys,
    Arbitrary.array(entry, { maxLength: 4 }),
    Arbitrary.array(Arbitrary.all([one("custom", "*", "other"), setting]), { maxLength: 3 })
  ]),
  ([settings, enabled, readOnly, executed, allow, deny, mcp, paths, tools]) => {
    const at = (index: number) => settings[index] ?? "ask"
    return {
      enabled: enabled || at(0) === "allow",
      read: at(0),
      readOutside: at(1),
      edit: at(2),
      editOutside: at(3),
      ...(executed === undefined ? {} : { protected: executed }),
      delegate: at(4),
      fetch: at(5),
      modeSwitch: at(6),
      commands: { allow, deny, other: at(7), ...(readOnly === undefined ? {} : { readOnly }) },
      mcp: Object.fromEntries(mcp),
      ...(tools.length === 0 ? {} : { tools: Object.fromEntries(tools) }),
      paths,
      checkInRequests: 0
    }
  }
)

const files = one(
  "src/a.ts",
  "src/deep/a.ts",
  "README.md",
  "docs/a/x",
  "/tmp/x",
  ".git/config",
  ".env",
  "lib/x",
  "package.json",
  ".claude/Makefile"
)
const access = one("read", "write")

const call: Arbitrary.Arbitrary<PolicyInput.PolicyInput> = Arbitrary.map(
  Arbitrary.all([
    one("path", "link", "command", "mcp", "resource", "delegate", "fetch", "modeSwitch", "internal", "custom"),
    files,
    files,
    access,
    texts,
    one("s/t", "s/u", "r/t", "q/v"),
    one("act", "act", "plan"),
    flag
  ]),
  ([kind, file, other, access, text, name, mode, strictPlanMode]) => {
    const more = { mode, strictPlanMode }
    const [server, tool] = name.split("/")
    const target = other.startsWith("/") ? other : `/ws/proj/${other}`
    const fact = path(file, access, kind === "link" ? { resolved: target } : {})
    if (kind === "command") return command(text, more)
    if (kind === "mcp") return input({ category: "mcp", args: { server, tool }, ...more })
    if (kind === "resource") return input({ category: "mcp", args: { server, uri: tool }, ...more })
    if (kind !== "path" && kind !== "link") return input({ category: kind, ...more })
    return access === "write" ? edit(fact, more) : read(fact, more)
  }
)

const judged = (call: PolicyInput.PolicyInput, approvals: Approvals.Approvals) =>
  decide({ ...call, approvals }).decision
const runs = { arbitrary: { runs: 2000 } }

describe("laws of the decision", () => {
  it.prop(
    "a narrowed child is never wider than either side, for any call",
    [approvals, approvals, call],
    ([child, parent, call]) => {
      const narrowed = judged(call, Approvals.narrow(child, parent))
      return !isWider(narrowed, judged(call, child)) && !isWider(narrowed, judged(call, parent))
    },
    runs
  )

  it.prop(
    "narrowing settings by themselves changes no decision",
    [approvals, call],
    ([own, call]) => judged(call, Approvals.narrow(own, own)) === judged(call, own),
    runs
  )

  it.prop(
    "adding a deny never widens",
    [approvals, call, texts, pattern, one("s/t", "s/*", "*")],
    ([own, call, text, pattern, key]) => {
      const before = judged(call, own)
      const stricter: ReadonlyArray<Approvals.Approvals> = [
        { ...own, commands: { ...own.commands, deny: [...own.commands.deny, text] } },
        { ...own, paths: [...own.paths, { pattern, read: "deny", edit: "deny" }] },
        { ...own, paths: [{ pattern, edit: "deny" }, ...own.paths] },
        { ...own, mcp: { ...own.mcp, [key]: "deny" } },
        { ...own, edit: "deny" },
        { ...own, protected: "ask" },
        { ...own, enabled: false }
      ]
      return stricter.every((next) => !isWider(judged(call, next), before))
    },
    runs
  )

  it.prop(
    "unattended never asks and never allows more",
    [approvals, call],
    ([own, call]) => {
      const attended = decide({ ...call, approvals: own })
      const alone = unattended(attended)
      return alone.decision !== "ask" && alone.rule === attended.rule && !isWider(alone.decision, attended.decision)
    },
    runs
  )

  it.prop(
    "what only `protected: allow` lets run is an edit that `edit` or `paths` allow, in the workspace",
    [approvals, call],
    ([own, call]) => {
      const before = decide({ ...call, approvals: { ...own, protected: "ask" } })
      const after = decide({ ...call, approvals: { ...own, protected: "allow" } })
      return (
        before.decision === after.decision ||
        (before.rule === "path.protected" && call.facts.paths.every(({ inside }) => inside))
      )
    },
    runs
  )

  it.prop(
    "protected and secret files never run without asking, and nothing may be remembered",
    [approvals, one(".git/config", "a/.env", "CLAUDE.md", ".roo/package.json"), one("act", "plan")],
    ([own, file, mode]) => {
      const decision = decide(edit(path(file, "write"), { approvals: own, mode }))
      return decision.decision !== "allow" && decision.grants.length === 0
    },
    runs
  )
})

const asInput = (value: unknown): PolicyInput.PolicyInput => value as PolicyInput.PolicyInput

describe("totality", () => {
  const value = Arbitrary.schema(Schema.Json)

  it.prop(
    "arbitrary values are denied, never thrown",
    [value],
    ([value]) => decide(asInput(value)).decision === "deny",
    runs
  )

  it.prop(
    "a call with one arbitrary field never throws, and is never allowed when the field is broken",
    [call, value, one("category", "mode", "approvals", "facts", "workspace", "known", "tool")],
    ([call, value, field]) => {
      const decision = decide(asInput({ ...call, approvals: Approvals.all, [field]: value }))
      return typeof value === "string" || typeof value === "boolean" || decision.decision === "deny"
    },
    runs
  )

  it.prop(
    "any text is a command that is judged",
    [Arbitrary.schema(Schema.String)],
    ([text]) => {
      const commands = { ...Approvals.ask.commands, readOnly: "ask" as const }
      const decision = decide(command(text, { approvals: { ...Approvals.ask, commands } }))
      return decision.decision !== "allow"
    },
    runs
  )

  it("a check that throws denies", () => {
    const trap = new Proxy(command("ls"), {
      get: () => {
        throw new Error("trap")
      }
    })
    assert.deepStrictEqual([decide(trap).decision, decide(trap).rule], ["deny", "invalid"])
    const args = {
      get server(): string {
        throw new Error("trap")
      }
    }
    assert.strictEqual(decide(input({ category: "mcp", args })).decision, "deny")
  })
})

const everyName = [...ProtectedPath.protectedNames, ".clinerules-x", ".aider.conf.yml", "x.code-workspace"]
const everySecret = [
  ...ProtectedPath.secretNames,
  "credentials",
  ".env",
  ".env.local",
  "prod.env",
  "a.pem",
  "b.key",
  "id_rsa",
  "id_ed25519",
  "credentials.json",
  "application_default_credentials.json",
  "terraform.tfstate"
]
const first = (items: ReadonlyArray<string>) => one(items[0] ?? "", ...items.slice(1))
const folders = Arbitrary.array(one("a", "src", "x y", "ü", ".hidden"), { maxLength: 12 })
const folding = Arbitrary.array(flag, { minLength: 40, maxLength: 40 })
const recase = (text: string, upper: ReadonlyArray<boolean>) =>
  Array.from(text, (char, index) => (upper[index] ? char.toUpperCase() : char)).join("")
const tricks = one(
  (text: string) => text,
  (text: string) => text.normalize("NFD"),
  (text: string) => `${text}. `,
  (text: string) => `${text}::$DATA`,
  (text: string) => text.replace(/(.)$/, "\u200c$1"),
  (text: string) => text.replaceAll("/", "\\")
)

describe("protected names", () => {
  it.prop(
    "are found at every depth, in any case and spelling",
    [folders, first(everyName), folding, tricks],
    ([folders, name, upper, trick]) =>
      ProtectedPath.match(["", "ws", ...folders, trick(recase(name, upper))].join("/"), "write") !== undefined,
    runs
  )

  it.prop(
    "cover what lies below them",
    [folders, first(everyName), one("x", "x/y.txt")],
    ([folders, name, rest]) => ProtectedPath.match(["", ...folders, name, rest].join("/"), "write") !== undefined,
    runs
  )

  it.prop(
    "secret files are found on read, too",
    [folders, first(everySecret), folding, tricks],
    ([folders, name, upper, trick]) =>
      ProtectedPath.match(["", "ws", ...folders, trick(recase(name, upper))].join("/"), "read")?.rule === "path.secret",
    runs
  )

  it("ordinary names are not protected", () => {
    for (const name of [
      "src/a.ts",
      ".gitignore",
      "agents.ts",
      "envelope.ts",
      ".github/ISSUE.md",
      "node_modules/a/b.js",
      ".env.sample",
      "id_rsa.pub",
      "package.json.md",
      "a~"
    ]) {
      assert.strictEqual(ProtectedPath.match(`/ws/proj/${name}`, "write"), undefined, name)
    }
  })

  it("a git directory elsewhere and Belay's data are protected as a whole", () => {
    const roots = { home: "/data/belay", gitFolders: ["/repos/x.store"] }
    assert.strictEqual(ProtectedPath.match("/repos/X.store/hooks/pre-commit", "write", roots)?.rule, "path.protected")
    assert.strictEqual(ProtectedPath.match("/data/belay/tasks", "read", roots)?.rule, "path.secret")
    assert.strictEqual(ProtectedPath.match("/data/belay-other/tasks", "read", roots), undefined)
  })
})

/**
 * JSON with sorted keys, written as it is defined. What JSON.parse makes of it is no measure: V8 of Node 24 reads once in
 * some 100,000 values an escaped key as another one, as `"\ud800"` behind `"\u0000"`.
 */
const sorted = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(sorted).join(",")}]`
    : typeof value === "object" && value !== null
      ? `{${Object.entries(value)
          .sort(([left], [right]) => (left < right ? -1 : 1))
          .map(([key, field]) => `${JSON.stringify(key)}:${sorted(field)}`)
          .join(",")}}`
      : JSON.stringify(value)

const shuffled = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(shuffled)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([key, field]) => [key, shuffled(field)])
        )
      : value

describe("fingerprint", () => {
  it.prop(
    "canonical arguments are JSON that does not depend on the order of keys",
    [Arbitrary.schema(Schema.Json)],
    ([value]) => {
      const text = canonicalArguments(value)
      assert.strictEqual(canonicalArguments(shuffled(value)), text)
      assert.strictEqual(text, sorted(value))
      assert.doesNotThrow(() => JSON.parse(text))
    },
    runs
  )

  it("binds tool, arguments, resolved target, its identity and the folder", () => {
    const base = { tool: "t", args: { a: 1 }, facts: { paths: [path("a", "write")] }, identity: "x" }
    const run = (folder: string) => ({
      ...base,
      facts: { paths: [], command: fact("ls", cwd({ resolved: folder })) }
    })
    const texts = [
      base,
      { ...base, tool: "u" },
      { ...base, args: { a: 2 } },
      { ...base, facts: { paths: [path("a", "write", { resolved: "/etc/a" })] } },
      { ...base, identity: "y" },
      run("/ws/proj"),
      run("/tmp")
    ].map(fingerprint)
    assert.strictEqual(new Set(texts).size, texts.length)
    assert.strictEqual(fingerprint({ ...base }), texts[0])
  })

  it("takes any depth, cycles and values that JSON cannot hold", () => {
    let deep: unknown = 1
    for (let level = 0; level < 50_000; level++) deep = [deep]
    assert.strictEqual(canonicalArguments(deep).length, 100_001)
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    assert.strictEqual(canonicalArguments(cycle), '{"self":cycle:}')
    const odd = [undefined, null, Number.NaN, 1n, "1", 1, new Date(1), new Map(), new Set(), Symbol("s")]
    assert.strictEqual(new Set(odd.map(canonicalArguments)).size, odd.length)
  })
})
