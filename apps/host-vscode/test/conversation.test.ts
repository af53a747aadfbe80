import { afterAll, beforeAll, describe } from "vitest"
import * as answering from "./conversation/answering.ts"
import * as asking from "./conversation/asking.ts"
import * as beginning from "./conversation/beginning.ts"
import * as delegation from "./conversation/delegation.ts"
import * as editors from "./conversation/editors.ts"
import * as failing from "./conversation/failing.ts"
import * as leaving from "./conversation/leaving.ts"
import * as Place from "./conversation/Place.ts"
import * as queueing from "./conversation/queueing.ts"

/** In this order: a window is opened once for all of them, and begins anew at the end. */
const parts = [beginning, queueing, asking, answering, failing, delegation, editors, leaving]

describe("the conversation", () => {
  const place = {} as Place.Place

  beforeAll(() => Place.open(place, parts))
  afterAll(() => place.vs?.close())

  for (const { stories } of parts) stories(place)
})
