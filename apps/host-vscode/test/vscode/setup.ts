/** Of each file of a run. */
import * as Evidence from "./Evidence.ts"

Evidence.watch()
