// `npm run api`: writes the public API of each package into its `api.txt`; scripts/checks/api.ts compares.
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { apiFile, apiOf, withApi } from "./checks/api.ts"

for (const owner of withApi(path.resolve(import.meta.dirname, ".."))) writeFileSync(apiFile(owner), apiOf(owner))
