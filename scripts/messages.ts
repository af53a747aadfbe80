// Writes docs/messages.md: every sentence of the sources, to be read as a whole.
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { messagesOf } from "./checks/messages.ts"

const root = path.resolve(import.meta.dirname, "..")
writeFileSync(path.join(root, "docs", "messages.md"), messagesOf(root))
