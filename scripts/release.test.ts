import { assert, describe, it } from "vitest"
import { refusals, stamped } from "./release.ts"

const files = ["package/package.json", "package/CHANGELOG.md"]

describe("a release", () => {
  it("sends a package that can be installed", () => {
    const manifest = { name: "@belay/sums", version: "0.1.0", dependencies: { "@belay/machine": "0.1.0" } }
    assert.deepStrictEqual(refusals(manifest, files), [])
  })

  it("refuses a package without a version, a changelog or dependencies that are published", () => {
    const manifest = { name: "@belay/sums", version: "0.0.0", dependencies: { "@belay/machine": "workspace:*" } }
    assert.deepStrictEqual(refusals(manifest, ["package/package.json"]), [
      "@belay/sums has no version: npm run version.",
      "@belay/sums depends on @belay/machine workspace:*, which nobody can install.",
      "@belay/sums has no CHANGELOG.md."
    ])
  })

  it("says of each package where it comes from, as provenance is checked", () => {
    assert.deepStrictEqual(stamped({ name: "@belay/sums" }, "packages/sums", "https://example.org", "us/belay"), {
      name: "@belay/sums",
      homepage: "https://example.org/us/belay/tree/main/packages/sums#readme",
      bugs: "https://example.org/us/belay/issues",
      repository: { type: "git", url: "git+https://example.org/us/belay.git", directory: "packages/sums" },
      publishConfig: { access: "public", provenance: true }
    })
  })
})
