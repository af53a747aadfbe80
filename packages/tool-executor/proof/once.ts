/** What `mutants.ts` runs in each of its copies: prints the first lines that do harm, as one JSON. */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import * as Oracle from "./Oracle.ts"
import { witnesses } from "./Witnesses.ts"

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    boxes: { type: "string", default: "2" },
    until: { type: "string", default: "1" },
    /** The lines that a test run tries first. */
    witnesses: { type: "boolean", default: false },
    /** Lines that do not count, as a file of JSON. */
    known: { type: "string" }
  }
})

const known = new Set(
  values.known === undefined ? [] : (JSON.parse(readFileSync(values.known, "utf8")) as Array<string>)
)
const { generated, violations } = await Oracle.run({
  lines: Number(values.lines),
  seed: Number(values.seed),
  boxes: Number(values.boxes),
  until: Number(values.until),
  first: values.witnesses ? witnesses : [],
  isKnown: ({ text }) => known.has(text)
})
const found = violations.map(({ harms, line }) => ({ line, harm: harms[0] ?? "" }))
process.stdout.write(JSON.stringify({ generated, found }))
