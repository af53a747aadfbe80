/** A feature that is planned first, and built by two subtasks. */
import type { EverydayTask } from "../../EverydayTasks.ts"
import { answer, call, completes, freely, project, read, replace, run, write } from "./project.ts"

const cart = `/** What the lines of a cart cost, in cents. */
export const priceCart = (lines) => lines.reduce((sum, { cents, count }) => sum + cents * count, 0)
`

const cartCheck = `import { priceCart } from "../src/priceCart.js"

export const check = (is) => {
  is("an empty cart", priceCart([]), 0)
  is("a cart of two lines", priceCart([{ cents: 250, count: 2 }, { cents: 99, count: 1 }]), 599)
}
`

const index = `export { priceCart } from "./priceCart.js"\n`

const tiers = `/** The discount of a tier, as a share of the price; none for a tier that is not known. */
const shares = { bronze: 0.02, silver: 0.05, gold: 0.1 }

export const tierShare = (tier) => (Object.hasOwn(shares, tier) ? shares[tier] : 0)

/** A price less the discount of a tier, in whole cents. */
export const lessTier = (cents, tier) => Math.round(cents * (1 - tierShare(tier)))
`

const tiersCheck = `import { lessTier, tierShare } from "../src/tiers.js"

export const check = (is) => {
  is("gold", tierShare("gold"), 0.1)
  is("a tier that is not known", tierShare("toString"), 0)
  is("1,000 less silver", lessTier(1000, "silver"), 950)
}
`

const coupons = `/** What a coupon takes off a price, in cents: never more than the price. */
export const couponOf = (cents, coupon) => (coupon === undefined ? 0 : Math.min(cents, coupon.cents))

export const lessCoupon = (cents, coupon) => cents - couponOf(cents, coupon)
`

const couponsCheck = `import { lessCoupon } from "../src/coupons.js"

export const check = (is) => {
  is("no coupon", lessCoupon(1000, undefined), 1000)
  is("a coupon", lessCoupon(1000, { cents: 300 }), 700)
  is("a coupon of more than the price", lessCoupon(200, { cents: 300 }), 0)
}
`

const priced = `import { lessCoupon } from "./coupons.js"
import { lessTier } from "./tiers.js"

/** What the lines of a cart cost, in cents, less the discount of a tier and then a coupon. */
export const priceCart = (lines, { coupon, tier } = {}) =>
  lessCoupon(
    lessTier(
      lines.reduce((sum, { cents, count }) => sum + cents * count, 0),
      tier
    ),
    coupon
  )
`

const prompt = "Carts need discounts by tier (bronze, silver, gold) and coupons. Plan it first."

const plan = `1. \`src/tiers.js\`: the share of a tier and a price less it, with checks.
2. \`src/coupons.js\`: what a coupon takes off, never more than the price, with checks.
3. \`src/priceCart.js\` takes both, tier first; \`src/index.js\` exports them.
1 and 2 are independent of each other: a subtask each.`

const tiersWanted =
  "Write src/tiers.js and test/tiers.check.js. tierShare(tier): bronze 0.02, silver 0.05, gold 0.1, else 0. lessTier(cents, tier): the price less it, rounded."
const couponsWanted =
  "Write src/coupons.js and test/coupons.check.js. lessCoupon(cents, coupon): the price less coupon.cents, never below 0; without a coupon the price."

const built = (name: string, source: string, check: string) => [
  answer(
    "",
    write(`src/${name}.js`, source),
    write(`test/${name}.check.js`, check),
    run(`node test/run.js ${name}.check.js`)
  ),
  completes(`\`src/${name}.js\` and its checks are written; \`node test/run.js ${name}.check.js\` passes.`)
]

export const feature: EverydayTask = {
  name: "a feature with a plan and two subtasks",
  files: {
    ...project,
    "src/index.js": index,
    "src/priceCart.js": cart,
    "test/priceCart.check.js": cartCheck
  },
  runs: [
    // A plan that nobody has answered yet is where the first run stops.
    { args: ["run", prompt, "--mode", "plan", ...freely], code: 0 },
    { args: ["task", "mode", "last", "act"], code: 0 },
    { args: ["task", "resume", "last"], code: 0 }
  ],
  scripts: [
    {
      match: { prompt },
      answers: [
        answer(
          "",
          call("list_files", { path: ".", recursive: true }),
          read("src/priceCart.js"),
          read("src/index.js"),
          read("test/priceCart.check.js"),
          read("test/run.js")
        ),
        answer("", call("plan_mode_respond", { response: plan })),
        answer(
          "",
          call("new_task", { message: tiersWanted, task_progress: "- [ ] tiers\n- [ ] coupons\n- [ ] cart" }),
          call("new_task", { message: couponsWanted })
        ),
        answer(
          "",
          read("src/tiers.js"),
          read("src/coupons.js"),
          replace("src/priceCart.js", cart.trimEnd(), priced.trimEnd()),
          write("src/index.js", `${index}export * from "./coupons.js"\nexport * from "./tiers.js"\n`),
          run("node test/run.js")
        ),
        completes("Carts take a tier and a coupon; `node test/run.js` passes.")
      ]
    },
    { match: { prompt: tiersWanted }, answers: built("tiers", tiers, tiersCheck) },
    { match: { prompt: couponsWanted }, answers: built("coupons", coupons, couponsCheck) }
  ],
  requests: 9,
  mostBytes: 160_000
}
