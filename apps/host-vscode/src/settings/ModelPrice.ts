/** What a model costs, in words: of a million tokens that it reads, and of a million that it writes. */
import { Models, type Settings } from "@belay/settings"

const dollars = (usd: number): string => `$${Number.isInteger(usd) ? usd : usd.toFixed(2)}`

/** Nothing where no price is known. */
export const of = (settings: Pick<Settings.TaskSettings, "models">, model: string): string | undefined => {
  const { price } = Models.of(settings, model)
  return price === undefined ? undefined : `${dollars(price.input)} in, ${dollars(price.output)} out`
}
