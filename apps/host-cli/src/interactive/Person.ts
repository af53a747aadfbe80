/**
 * The person at an interactive terminal: always there, and answers asks by their ids.
 *
 * Asks are records: the interface shows what is open, and the first answer counts wherever it is given. So nothing is put to
 * the person here, and nothing waits for the screen.
 */
import { Grant } from "@belay/approval-policy"
import { UserPort } from "@belay/task-engine"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"

/** `tell`: a line for the person. */
export const layer = (tell: (line: string) => void): Layer.Layer<UserPort> =>
  Layer.succeed(UserPort, {
    attended: true,
    approve: () => Effect.never,
    answer: () => Effect.never,
    allowed: ({ folder, problem, rules }) =>
      Effect.sync(() => {
        const said = rules.map((rule) => Grant.describe(rule, folder)).join(", ")
        tell(
          problem === undefined
            ? `${Copy.alwaysSaved(said, path.basename(folder))} See and take back: belay allowed`
            : Copy.alwaysNotSaved(problem)
        )
      })
  })
