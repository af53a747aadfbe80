import { writeFileSync } from "node:fs"
import { FocusChain } from "@belay/focus-chain"
import { contract } from "./contract.ts"
import { temporary } from "./temporary.ts"

contract("FocusChain.layerMemory", () => {
  const files = new Map<string, string>()
  return { layer: FocusChain.layerMemoryOf(files), save: (path, text) => void files.set(path, text) }
})

contract("FocusChain.layerNode", () => ({
  layer: FocusChain.layerNode({ directory: temporary() }),
  save: (path, text) => writeFileSync(path, text)
}))
