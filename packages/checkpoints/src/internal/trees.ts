/**
 * How two trees of a store differ.
 */
import type { GitFailed } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import type { Change, Kind, Side } from "../Change.ts"
import * as BytePath from "./bytePath.ts"
import type { Store } from "./store.ts"

/** A change with the bytes of its path. */
export interface Difference {
  readonly file: BytePath.BytePath
  readonly from?: Side
  readonly to?: Side
}

const kinds: Readonly<Record<string, Kind>> = { "100644": "file", "100755": "executable", "120000": "link" }

const side = (mode: string | undefined, blob: string | undefined): Side | undefined => {
  const kind = kinds[mode ?? ""]
  return kind === undefined || blob === undefined ? undefined : { kind, blob }
}

/** `:100644 100644 <blob> <blob> M`, then the path. https://git-scm.com/docs/diff-format#_raw_output_format */
const parse = (fields: ReadonlyArray<string>): ReadonlyArray<Difference> =>
  Array.from({ length: Math.floor(fields.length / 2) }, (_, at): Difference => {
    const [fromMode, toMode, fromBlob, toBlob] = (fields[at * 2] ?? "").slice(1).split(" ")
    const from = side(fromMode, fromBlob)
    const to = side(toMode, toBlob)
    return {
      file: fields[at * 2 + 1] ?? "",
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to })
    }
  })

export const differences = (
  store: Store,
  from: string,
  to: string
): Effect.Effect<ReadonlyArray<Difference>, GitFailed> =>
  from === to
    ? Effect.succeed([])
    : store
        .git({ args: ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to] })
        .pipe(Effect.map(({ stdout }) => parse(BytePath.split(stdout))))

export const changeOf = ({ file, ...sides }: Difference): Change => ({ path: BytePath.shown(file), ...sides })

/** As `git diff` shows it, without any program of the user's. */
export const patch = (store: Store, from: string, to: string) =>
  store
    .git({ args: ["diff-tree", "-r", "-p", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", from, to] })
    .pipe(Effect.map(({ stdout }) => stdout.toString("utf8")))
