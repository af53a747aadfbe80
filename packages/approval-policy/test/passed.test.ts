/** Words that a runner passes on: harmless ones run with the entry of the runner, all others ask. */
import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, CommandRule } from "@belay/approval-policy"
import { command, fact, listing, words } from "./fixtures.ts"

const runners = [
  ["npm test", "npm test --"],
  ["npm run", "npm run test --"],
  ["pnpm test", "pnpm test"],
  ["pnpm test", "pnpm test --"],
  ["pnpm run", "pnpm run test"],
  ["yarn test", "yarn test"],
  ["yarn run", "yarn run test"],
  ["cargo test", "cargo test --"]
] as const

const harmless = [
  "--run",
  "--run src/a.test.ts",
  "--watch=false",
  "--watchAll=false",
  "-t 'adds numbers'",
  "-t adds",
  "--testNamePattern=adds",
  "--coverage",
  "--verbose --silent",
  "--bail",
  "--bail=1",
  "-u",
  "--maxWorkers=2",
  "--reporter=verbose",
  "--reporter dot",
  "--shard=1/3",
  "--grep 'a b'",
  "--nocapture",
  "--test-threads=1",
  "--fix",
  "--max-warnings 0",
  "--no-color",
  "src/a.test.ts test/b.test.ts"
]

const harmful = [
  "--import=data:text/javascript,x",
  "--import ./x.mjs",
  "--require ./x.js",
  "--require=./x.js",
  "-r ./x.js",
  "-r x",
  "--loader=./x.mjs",
  "--experimental-loader ./x.mjs",
  "--config x.config.ts",
  "--config=x.config.ts",
  "-c x.config.ts",
  "--globalSetup ./x.js",
  "--globalSetup=x",
  "--setupFiles ./x.js",
  "--reporter=./x.js",
  "--reporter ./x.js",
  "--reporter=x-reporter",
  "--reporters=./x",
  "--env ./x",
  "--env=./x",
  "--environment=./x",
  "--testRunner=./x",
  "--transform=x",
  "--resolver=./x",
  "--runner ./x",
  "--outputFile=x",
  "--outputFile x",
  "--output-file x",
  "-o x",
  "--out-dir=..",
  "--coverageDirectory=/etc",
  "--plugin ./x",
  "--rulesdir ./x",
  "--resolve-plugins-relative-to=x",
  "--parser ./x",
  "-e 'x'",
  "--eval x",
  "-p 'x'",
  "--print x",
  "--env-file=x",
  "--inspect=0.0.0.0:1",
  "--host 0.0.0.0",
  "--project ./x",
  "--project=../x",
  "--target=../x",
  "--run evil",
  "--run=evil",
  "--test-reporter=./x",
  "--test-reporter-destination=x",
  "--experimental-config-file=x",
  "-C x",
  "--conditions=x",
  "--logfile x",
  "-D ./x",
  "-Clinker=./x",
  "-Zx",
  "-- --import=./x",
  "@x",
  "-unknown",
  "--unknown"
]

describe("the entry of a runner", () => {
  for (const [entry, line] of runners) {
    const decide = (text: string) => ApprovalPolicy.decide(command(text, { approvals: listing(entry) }))
    it(`"${entry}" covers what "${line}" passes on only when it is harmless`, () => {
      const asked = harmless.filter((flags) => decide(`${line} ${flags}`).decision !== "allow")
      // yarn and pnpm have flags of their own before a script.
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(
        harmful.filter((flags) => decide(`${line} ${flags}`).decision === "allow"),
        []
      )
    })
  }

  it("says which word is in the way, and offers no rule that would cover others", () => {
    const { reason } = ApprovalPolicy.decide(command("npm test -- --import=./x.js", { approvals: listing("npm test") }))
    assert.include(reason, "its argument --import=./x.js")
    assert.deepStrictEqual(CommandRule.suggestions(fact("npm test -- --import=./x.js"), listing("npm test")), [
      "npm test -- --import=./x.js"
    ])
  })

  it("covers the same words without a shell", () => {
    const decide = (argv: ReadonlyArray<string>) =>
      ApprovalPolicy.decide(words(argv, { approvals: listing("npm test", "pnpm test") })).decision
    assert.strictEqual(decide(["npm", "test", "--", "--coverage", "-t", "a b"]), "allow")
    assert.strictEqual(decide(["npm", "test", "--", "--import=data:text/javascript,x"]), "ask")
    assert.strictEqual(decide(["pnpm", "--filter", "a", "test"]), "allow")
    assert.strictEqual(decide(["timeout", "60", "npm", "test"]), "allow")
  })

  it("with a mark before it is the text and nothing else", () => {
    const decide = (text: string) => ApprovalPolicy.decide(command(text, { approvals: listing("=npm test") })).decision
    assert.strictEqual(decide("npm test"), "allow")
    for (const text of ["npm test -- --run", "npm test --silent", "npm  test", "CI=1 npm test", "npm run test"])
      assert.strictEqual(decide(text), "ask", text)
  })
})
