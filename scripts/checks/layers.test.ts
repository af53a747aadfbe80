import { assert, describe, it } from "vitest"
import { layerViolations } from "./layers.ts"

const violations = (...lines: ReadonlyArray<string>) => layerViolations("a.ts", lines.join("\n"))
const service = 'export class A extends Context.Service<A, {}>()("a/A") {}'

describe("checkLayers", () => {
  it("accepts layers on the class of their service, variants by name, and modules that are a variant", () => {
    assert.deepStrictEqual(
      violations(
        'export class A extends Context.Service<A, {}>()("a/A") {',
        "  static readonly layer = Layer.effect(A, make)",
        "  static readonly layerMemory = (rows: number) => Layer.sync(A, () => rows)",
        "}"
      ),
      []
    )
    assert.deepStrictEqual(violations("export const layer = (options: Options): Layer.Layer<A> => make(options)"), [])
  })

  it("accepts what makes one layer of another", () => {
    assert.deepStrictEqual(violations("export const clean = (layer: Layer.Layer<A>): Layer.Layer<A> => layer"), [])
  })

  it("catches a layer beside the class of a service", () => {
    assert.deepStrictEqual(violations(service, "export const layer = Layer.effect(A, make)"), [
      "2 exports layer beside A: make it A.layer."
    ])
  })

  it("catches a layer of another name, however it is made", () => {
    for (const made of [
      "ALive = Layer.effect(A, make)",
      "ALive = Layer.effect(A)(make).pipe(Layer.provide(b))",
      "ALive: Layer.Layer<A> = other",
      "ALive = (): Layer.Layer<A> => other",
      "ALive = (rows: number) => Layer.sync(A, () => rows)"
    ]) {
      assert.deepStrictEqual(violations(`export const ${made}`), [
        "1 exports the layer ALive: call it layer or layerALive."
      ])
    }
    assert.lengthOf(violations("export class A {", "  static readonly Default = Layer.succeed(A, {})", "}"), 1)
  })
})
