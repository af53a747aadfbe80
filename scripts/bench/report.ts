/** The table of the figures. */
import type { Data, Figure } from "./measure.ts"
import type { Spread } from "./spread.ts"

const number = (value: number, digits: number): string => value.toFixed(digits)

const shown = (spread: Spread | undefined, digits: number): string => {
  if (spread === undefined) return ""
  const { max, median, min } = spread
  return min === max
    ? number(median, digits)
    : `${number(median, digits)} (${number(min, digits)}-${number(max, digits)})`
}

const ratioOf = ({ belay, floor }: Figure): number | undefined =>
  floor === undefined ? undefined : belay.median / floor.median

const limitOf = ({ limit }: Figure): string => {
  if (limit === undefined) return ""
  return "times" in limit ? `${limit.times} x` : String(limit.most)
}

/** Whether the figure keeps its limit; nothing where there is none. */
export const verdict = (figure: Figure): "ok" | "over" | "" => {
  const { belay, limit } = figure
  if (limit === undefined) return ""
  const within = "times" in limit ? (ratioOf(figure) ?? Infinity) <= limit.times : belay.median <= limit.most
  return within ? "ok" : "over"
}

const row = (figure: Figure): ReadonlyArray<string> => {
  const ratio = ratioOf(figure)
  return [
    figure.name,
    shown(figure.belay, figure.digits),
    shown(figure.floor, figure.digits),
    ratio === undefined ? "" : `${number(ratio, 2)} x`,
    limitOf(figure),
    verdict(figure)
  ]
}

export const render = (data: Data): string => {
  const rows = [["figure: median (min-max)", "Belay", "floor", "ratio", "limit", ""], ...data.figures.map(row)]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)))
  const lines = rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
  const about = `Node ${data.node} on ${data.platform}; ${data.runs} runs each, alternating, after one that does not count.`
  return `${[...lines, "", ...data.skipped, about].join("\n")}\n`
}
