import { afterAll, beforeAll, describe } from "vitest"
import * as asking from "./conversation/asking.ts"
import * as beginning from "./conversation/beginning.ts"
import * as delegation from "./conversation/delegation.ts"
import * as editors from "./conversation/editors.ts"
import * as failing from "./conversation/failing.ts"
import * as keyboard from "./conversation/keyboard.ts"
import * as leaving from "./conversation/leaving.ts"
import * as Place from "./conversation/Place.ts"
import * as queueing from "./conversation/queueing.ts"
import * as safety from "./conversation/safety.ts"

/** In this order: a window is opened once for all of them, and begins anew at the end. */
const parts = [beginning, safety, queueing, asking, keyboard, failing, delegation, editors, leaving]

describe("the conversation", () => {
  const place = {} as Place.Place

  beforeAll(() => Place.open(place, parts))
  afterAll(() => place.vs?.close())

  for (const { stories } of parts) stories(place)
})
