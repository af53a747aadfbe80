/** Loaded anew for each file of tests. */
import { afterAll } from "vitest"
import { finish } from "./afterwards.ts"

afterAll(finish)
