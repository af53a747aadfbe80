/** An amount of money as a program reads it: without the digits that adding up leaves behind. */

/** US dollars, exact to a millionth of a cent. */
export const usd = (amount: number | null): number | null => (amount === null ? null : Number(amount.toFixed(8)))

export const used = <A extends { readonly costUsd: number | null }>(usage: A): A => ({
  ...usage,
  costUsd: usd(usage.costUsd)
})
