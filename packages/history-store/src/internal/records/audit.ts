/** What a started call says of its being allowed, as it is stored and as readers get it. */
import type * as Event from "../../history/Event.ts"

export type Audit = Pick<Extract<Event.EventBody, { readonly type: "tool.started" }>, "askId" | "rule" | "sandbox">

/** As values that may be missing. */
export type Partly = { readonly [Field in keyof Audit]?: Audit[Field] | undefined }

export const of = ({ askId, rule, sandbox }: Partly): Audit => ({
  ...(rule === undefined ? {} : { rule }),
  ...(askId === undefined ? {} : { askId }),
  ...(sandbox === undefined ? {} : { sandbox })
})
