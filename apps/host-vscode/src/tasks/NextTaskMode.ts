/** The mode in which the next task of this window begins: chosen here for no other window, else act. */
import * as Effect from "effect/Effect"
import { Bridge, perform } from "../vscode/Bridge.ts"
import type { Mode } from "./Mode.ts"

const name = "firstMode"

export const get = Effect.map(Bridge, ({ context: { workspaceState } }) => workspaceState.get<Mode>(name, "act"))

export const choose = (mode: Mode) =>
  Effect.flatMap(Bridge, ({ context: { workspaceState } }) => perform(() => workspaceState.update(name, mode)))
