/** A refactoring of many files, one of 2,600 lines, with a run of checks that prints a line for each of them. */
import type { EverydayTask } from "../../EverydayTasks.ts"
import { answer, call, completes, freely, project, read, replace, run } from "./project.ts"

const pieces = 2600

const nameOf = (at: number): string => `p${String(at).padStart(4, "0")}`

/** Two of them are written in a way that no simple pattern finds. */
const round = `export const p2000 = priceOf(2000, /* the round one */ "piece p2000")`
const quoted = `export const p2222 = priceOf(2222, 'piece p2222')`

const pieceOf = (at: number): string => {
  if (at === 2000) return round
  return at === 2222 ? quoted : `export const ${nameOf(at)} = priceOf(${at}, "piece ${nameOf(at)}")`
}

const big = [
  `import { costOf, priceOf } from "./costOf.js"`,
  "",
  ...Array.from({ length: pieces }, (_, at) => pieceOf(at + 1)),
  ""
].join("\n")

const costs = `/** A price without its currency; costOf takes its place. */
export const priceOf = (cents, name) => ({ cents, name })

/** What something costs, in cents of a currency. */
export const costOf = ({ cents, currency = "EUR", name }) => ({ cents, currency, name })
`

const places = [
  "basket",
  "billing",
  "catalog",
  "coupons",
  "export",
  "history",
  "import",
  "labels",
  "mail",
  "quotes",
  "returns",
  "stock"
]

const used = (place: string): string => `export const ${place}Fee = priceOf(${place.length * 10}, "${place}")`
const moved = (place: string): string =>
  `export const ${place}Fee = costOf({ cents: ${place.length * 10}, name: "${place}" })`

const user = (place: string): string => `import { costOf, priceOf } from "./costOf.js"

/** What ${place} costs beside its pieces. */
${used(place)}
`

const check = `import * as pieces from "../src/big.js"

export const check = (is) => {
  for (const [name, { currency }] of Object.entries(pieces)) is(\`the currency of the piece \${name} of the list\`, currency, "EUR")
}
`

const placesCheck = `${places.map((place) => `import { ${place}Fee } from "../src/${place}.js"`).join("\n")}

export const check = (is) => {
  for (const { currency, name } of [${places.map((place) => `${place}Fee`).join(", ")}]) is(\`the currency of \${name}\`, currency, "EUR")
}
`

const prompt =
  "Use costOf({ cents, name }) instead of priceOf(cents, name) everywhere, so that every price has a currency."

const codemod = String.raw`sed -i.bak -E 's/priceOf\(([0-9]+), ("[^"]*")\)/costOf({ cents: \1, name: \2 })/' src/big.js && rm src/big.js.bak`

export const refactor: EverydayTask = {
  name: "a refactoring with big outputs",
  files: {
    ...project,
    "src/big.js": big,
    "src/costOf.js": costs,
    ...Object.fromEntries(places.map((place) => [`src/${place}.js`, user(place)])),
    "test/big.check.js": check,
    "test/places.check.js": placesCheck
  },
  runs: [{ args: ["run", prompt, ...freely], code: 0 }],
  scripts: [
    {
      match: { prompt },
      answers: [
        answer(
          "",
          call("list_files", { path: ".", recursive: true }),
          call("search_files", { path: "src", regex: "priceOf\\(", context: 0 })
        ),
        answer(
          "One file has 2,600 of them: I look at a part of it, and at the others whole.",
          read("src/costOf.js"),
          ...places.map((place) => read(`src/${place}.js`)),
          read("src/big.js", [1, 60]),
          read("src/big.js", [1990, 2010]),
          read("test/run.js")
        ),
        answer(
          "A pattern for the many, and an edit for each of the others, the odd one first.",
          replace(
            "src/big.js",
            round,
            `export const p2000 = costOf({ cents: 2000, name: "piece p2000" /* the round one */ })`
          ),
          run(codemod),
          ...places.map((place) => replace(`src/${place}.js`, used(place), moved(place))),
          run("node test/run.js")
        ),
        answer(
          "Something failed in the part that is not shown.",
          run("node test/run.js | grep FAIL"),
          read("src/big.js", [2220, 2226])
        ),
        answer(
          "",
          replace("src/big.js", quoted, `export const p2222 = costOf({ cents: 2222, name: "piece p2222" })`),
          run("node test/run.js | tail -1")
        ),
        completes("Every price is made by `costOf`; `node test/run.js` passes.")
      ]
    }
  ],
  requests: 6,
  mostBytes: 230_000
}
