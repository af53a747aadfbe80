/** A fix of one fault in ten files. */
import type { EverydayTask } from "../../EverydayTasks.ts"
import { answer, call, completes, freely, project, read, replace, run } from "./project.ts"

const rates = {
  cart: 1,
  discount: 0.85,
  invoice: 1.19,
  order: 1.02,
  quote: 0.97,
  refund: 0.9,
  report: 1.19,
  shipping: 1.07,
  tax: 1.19,
  voucher: 0.5
} as const

const names = Object.keys(rates)

const wrong = (name: string): string => `  return Math.floor(cents * ${rates[name as keyof typeof rates]})`
const right = (name: string): string => wrong(name).replace("floor", "round")

const title = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

const source = (name: string): string => `/** What ${name} makes of a price, in cents. */
export const ${name}Of = (cents) => {
  if (!Number.isInteger(cents)) throw new TypeError(\`${title(name)} takes whole cents, not \${cents}\`)
  if (cents < 0) throw new RangeError("a price is not negative")
${wrong(name)}
}

/** The same of several prices, and their sum. */
export const ${name}OfAll = (prices) => prices.map(${name}Of)
export const ${name}Sum = (prices) => ${name}OfAll(prices).reduce((sum, cents) => sum + cents, 0)
`

const check = (name: string): string => `import { ${name}Of } from "../src/${name}.js"

export const check = (is) => {
  for (const cents of [0, 1, 99, 101, 1999]) {
    is(\`${name} of \${cents}\`, ${name}Of(cents), Math.round(cents * ${rates[name as keyof typeof rates]}))
  }
}
`

const prompt =
  "Prices are rounded down everywhere; they have to be rounded to the nearest cent. Fix it, with the checks."

export const fix: EverydayTask = {
  name: "a fix in 10 files",
  files: {
    ...project,
    ...Object.fromEntries(names.map((name) => [`src/${name}.js`, source(name)])),
    ...Object.fromEntries(names.map((name) => [`test/${name}.check.js`, check(name)]))
  },
  runs: [{ args: ["run", prompt, ...freely], code: 0 }],
  scripts: [
    {
      match: { prompt },
      answers: [
        answer(
          "I look at where prices are rounded, and at what the checks say.",
          call("list_files", { path: ".", recursive: true }),
          call("search_files", { path: "src", regex: "Math\\.floor" }),
          run("node test/run.js")
        ),
        answer("", ...names.map((name) => read(`src/${name}.js`))),
        answer(
          "The same line in each of them.",
          ...names.map((name) => replace(`src/${name}.js`, wrong(name), right(name))),
          run("node test/run.js")
        ),
        completes("Prices are rounded to the nearest cent in all ten files of `src`; `node test/run.js` passes.")
      ]
    }
  ],
  requests: 4,
  mostBytes: 100_000
}
