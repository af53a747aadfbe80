/** How a call ended, as it is stored and as readers get it. */
import type * as Event from "../../history/Event.ts"

/** As values that may be missing. */
export type Partly = { readonly [Field in keyof Event.CallEnd]?: Event.CallEnd[Field] | undefined }

export const of = ({ ms, outcome, rule }: Partly): Event.CallEnd => ({
  ...(outcome === undefined ? {} : { outcome }),
  ...(rule === undefined ? {} : { rule }),
  ...(ms === undefined ? {} : { ms })
})
