import { engine } from "./engine.ts"
import type { Fault } from "./Fault.ts"
import { history } from "./history.ts"

/** The model check has faults of its own: `packages/task-state/proof/Mutant.ts`. */
export const faults: ReadonlyArray<Fault> = [...history, ...engine]
