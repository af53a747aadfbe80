/** Makes a line that has done harm as short as it can be while it does the same. */
import * as Oracle from "./Oracle.ts"

const mostTries = 150

const shorter = (text: string): ReadonlyArray<string> => {
  const words = text.split(" ")
  const steps = text.split(/ (?:&&|\|\||\||;) /)
  return [
    ...(steps.length > 1 ? steps.map((_, at) => steps.filter((_, index) => index !== at).join(" && ")) : []),
    ...words.map((_, at) => words.filter((_, index) => index !== at).join(" "))
  ].filter((each) => each.trim() !== "")
}

export const shrink = async (
  violation: Oracle.Violation,
  site: Oracle.Site,
  except: ReadonlyArray<string>
): Promise<Oracle.Violation> => {
  let best = violation
  let tries = 0
  for (let found = true; found;) {
    found = false
    for (const text of shorter(best.line.text)) {
      if (++tries > mostTries) return best
      const seen = await Oracle.probe(site, { ...best.line, text }, except)
      if (seen === undefined || seen.kind !== violation.kind) continue
      best = seen
      found = true
      break
    }
  }
  return best
}
