// All checks of the repository, in the order in which `npm test` runs them.
import { checkApi } from "./api.ts"
import { checkBrowser } from "./browser.ts"
import { checkChangesets } from "./changesets.ts"
import { checkDocumented } from "./documented.ts"
import { checkDrawing } from "./drawing.ts"
import { checkFolders } from "./folders.ts"
import { checkFunctions } from "./functions.ts"
import { checkGit } from "./git.ts"
import { checkGuides } from "./guides.ts"
import { checkLayers } from "./layers.ts"
import { checkLinks } from "./links.ts"
import { checkLockfile } from "./lockfile.ts"
import { checkManifests } from "./manifests.ts"
import { checkMessages } from "./messages.ts"
import { checkModuleState } from "./moduleState.ts"
import { checkNamed } from "./named.ts"
import { checkPlatform } from "./platform.ts"
import { checkProviding } from "./providing.ts"
import { checkProvision } from "./provision.ts"
import { checkPublished } from "./published.ts"
import { checkRetired } from "./retired.ts"
import { checkSteering } from "./steering.ts"
import { checkTestFiles } from "./testFiles.ts"
import { checkTypedErrors } from "./typedErrors.ts"
import { checkUnused } from "./unused.ts"
import { checkWords } from "./words.ts"

export interface Check {
  readonly name: string
  /** "built" checks read dist and so run after the build. */
  readonly stage: "sources" | "built"
  /** One sentence for each violation; empty if all is well. */
  readonly run: (root: string) => ReadonlyArray<string> | Promise<ReadonlyArray<string>>
}

export const checks: ReadonlyArray<Check> = [
  { name: "drawing", stage: "sources", run: checkDrawing },
  { name: "browser", stage: "sources", run: checkBrowser },
  { name: "folders", stage: "sources", run: checkFolders },
  { name: "documented", stage: "sources", run: checkDocumented },
  { name: "layers", stage: "sources", run: checkLayers },
  { name: "providing", stage: "sources", run: checkProviding },
  { name: "unused", stage: "sources", run: checkUnused },
  { name: "functions", stage: "sources", run: checkFunctions },
  { name: "tests", stage: "sources", run: checkTestFiles },
  { name: "state", stage: "sources", run: checkModuleState },
  { name: "errors", stage: "sources", run: checkTypedErrors },
  { name: "steering", stage: "sources", run: checkSteering },
  { name: "git", stage: "sources", run: checkGit },
  { name: "manifests", stage: "sources", run: checkManifests },
  { name: "lockfile", stage: "sources", run: checkLockfile },
  { name: "platform", stage: "sources", run: checkPlatform },
  { name: "provision", stage: "sources", run: checkProvision },
  { name: "changesets", stage: "sources", run: checkChangesets },
  { name: "retired", stage: "sources", run: checkRetired },
  { name: "named", stage: "sources", run: checkNamed },
  { name: "guides", stage: "sources", run: checkGuides },
  { name: "links", stage: "sources", run: checkLinks },
  { name: "words", stage: "sources", run: checkWords },
  { name: "messages", stage: "sources", run: checkMessages },
  { name: "api", stage: "built", run: checkApi },
  { name: "published", stage: "built", run: checkPublished }
]
