/** The table of the figures, for a terminal and for a document. */
import type { Figure } from "./figure.ts"
import type { Spread } from "./spread.ts"
import { verdict } from "./verdict.ts"

export interface Data {
  readonly node: string
  readonly platform: string
  readonly processors: number
  /** Processes that ran or waited, on average of a minute: before the first measurement and after the last. */
  readonly load: readonly [before: number, after: number]
  readonly runs: number
  readonly figures: ReadonlyArray<Figure>
  /** Figures that there are none of, and why. */
  readonly skipped: ReadonlyArray<string>
}

const number = (value: number, digits: number): string => value.toFixed(digits)

const shown = (spread: Spread | undefined, digits: number): string => {
  if (spread === undefined) return ""
  const { max, median, min } = spread
  return min === max
    ? number(median, digits)
    : `${number(median, digits)} (${number(min, digits)}-${number(max, digits)})`
}

const besideFloor = ({ belay, digits, floor, limit }: Figure): string => {
  if (floor === undefined) return ""
  if (limit !== undefined && "beyond" in limit) return `+ ${number(belay.median - floor.median, digits)}`
  return `${number(belay.median / floor.median, 2)} x`
}

const processorOf = ({ processor }: Figure): string => {
  if (processor === undefined) return ""
  const { belay, floor } = processor
  return floor === undefined ? number(belay.median, 1) : `${number(belay.median, 1)} / ${number(floor.median, 1)}`
}

const limitOf = ({ limit }: Figure): string => {
  if (limit === undefined) return ""
  if ("times" in limit) return `${limit.times} x`
  if ("beyond" in limit) return `+ ${limit.beyond}`
  return String("within" in limit ? limit.within : limit.most)
}

const othersOf = ({ digits, others = [] }: Figure): string =>
  others.map(([name, { median }]) => `${name} ${number(median, digits)}`).join(", ")

const heads = ["figure: median (min-max)", "Belay", "floor", "beside floor", "processor, ms", "limit", "", "others"]

const rowOf = (figure: Figure, loaded: boolean): ReadonlyArray<string> => [
  figure.name,
  shown(figure.belay, figure.digits),
  shown(figure.floor, figure.digits),
  besideFloor(figure),
  processorOf(figure),
  limitOf(figure),
  verdict(figure, loaded) ?? "",
  othersOf(figure)
]

const machineOf = ({ load: [before, after], node, platform, processors }: Data): string =>
  `Node ${node} on ${platform}, ${processors} processors, load ${before.toFixed(1)} before and ${after.toFixed(1)} after.`

const runsOf = ({ runs }: Data): string =>
  `Medians of up to ${runs} runs, alternating with the floor, after one of each that does not count.`

/** More to do than processors to do it, before or after. */
const isLoaded = ({ load, processors }: Data): boolean => Math.max(...load) > processors

const verdicts = (data: Data) => data.figures.map((figure) => verdict(figure, isLoaded(data)))

/** How many figures keep their limit, pass it, and cannot be judged. */
const tally = (data: Data): string => {
  const found = verdicts(data)
  const count = (wanted: string): number => found.filter((one) => one === wanted).length
  return `${count("ok")} ok, ${count("over")} over, ${count("too noisy to judge")} too noisy to judge`
}

/** True when one is passed; what cannot be judged passes none. */
export const isOver = (data: Data): boolean => verdicts(data).includes("over")

export const render = (data: Data): string => {
  const rows = [heads, ...data.figures.map((figure) => rowOf(figure, isLoaded(data)))]
  const widths = heads.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)))
  const lines = rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
  return `${[...lines, "", ...data.skipped, machineOf(data), runsOf(data), tally(data)].join("\n")}\n`
}

/** The same for a document. */
export const markdown = (data: Data): string => {
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  const rows = data.figures.map((figure) => line(rowOf(figure, isLoaded(data))))
  const said = [machineOf(data), runsOf(data), `${tally(data)}.`, ...data.skipped]
  return `${[line(heads), line(heads.map(() => "---")), ...rows, "", ...said].join("\n")}\n`
}
