import { assert, describe, it } from "@effect/vitest"
import { ApprovalPolicy, Approvals, SchemaAddress } from "@belay/approval-policy"
import * as fixtures from "./fixtures.ts"

const address = "https://host.example/s?d=KEY"

const ways: ReadonlyArray<string> = [
  `{ "$schema": "${address}" }`,
  `{"$schema":"${address}"}`,
  `{ "\\u0024schema": "${address}" }`,
  `{ "$schema": "https:\\/\\/host.example\\/s?d=KEY" }`,
  `{ "$schema": "\\u0068ttps://host.example/s?d=KEY" }`,
  `{ "$schema" /* here */ : // and here\n "${address}" }`,
  `{ "$schema": "HTTPS://host.example/s?d=KEY" }`,
  `{ "$schema": "//host.example/s" }`,
  `{ "$schema": "\\\\\\\\host.example\\\\share" }`,
  `{ "$schema": "file://host.example/share" }`,
  `{ "properties": { "a": { "$ref": "${address}" } } }`,
  `$schema: ${address}`,
  `"$schema": '${address}'`,
  `$schema: >-\n  ${address}\n`,
  `x: &a ${address}\n$schema: *a\n`,
  `"$schema" = "${address}"`,
  `# yaml-language-server: $schema=${address}\na: 1\n`,
  `# $schema: ${address}`,
  `#:schema ${address}`,
  `<a xsi:noNamespaceSchemaLocation="${address}"/>`,
  `<a xsi:schemaLocation='urn:a ${address}'/>`,
  `<!DOCTYPE a SYSTEM "${address}">`,
  `<!DOCTYPE a PUBLIC "-//A//B" "${address}">`,
  `<!DOCTYPE a [ <!ENTITY % b SYSTEM "${address}"> ]>`,
  `<?xml-model href="${address}"?>`,
  `<!DOCTYPE a SYSTEM "http&#115;://host.example/s">`
]

const harmless: ReadonlyArray<string> = [
  `{ "$schema": "./schema.json", "homepage": "https://host.example" }`,
  `{ "$schema": "../node_modules/x/schema.json" }`,
  `{ "$ref": "#/definitions/a" }`,
  `{ "$schema": "vscode://schemas/settings" }`,
  `{ "$schema": "file:///opt/schema.json" }`,
  `<a xmlns="http://host.example/ns"/>`,
  `<!DOCTYPE html>`,
  `const schema = "https://host.example/schema"`
]

const known: ReadonlyArray<string> = [
  "https://json.schemastore.org/tsconfig",
  "https://json.schemastore.org/package.json",
  "http://json-schema.org/draft-07/schema#",
  "https://json-schema.org/draft/2020-12/schema",
  "http://maven.apache.org/xsd/maven-4.0.0.xsd",
  "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"
]

const decided = (schemas: ReadonlyArray<string>) => {
  const fact = fixtures.file("a.json", "write", { schemas })
  const { decision, rule } = ApprovalPolicy.decide(fixtures.edit(fact, { approvals: Approvals.all }))
  return `${decision} ${rule}`
}

describe("addresses of schemas", () => {
  it("are found however a format spells them, and ask whatever is allowed", () => {
    for (const text of ways) {
      const found = SchemaAddress.found(text)
      assert.isAtLeast(found.length, 1, text)
      assert.strictEqual(decided(found), "ask path.schema", text)
    }
  })

  it("are not seen in files beside the file, in namespaces and in ordinary addresses", () => {
    for (const text of harmless) assert.deepStrictEqual(SchemaAddress.found(text), [], text)
  })

  it("of a publisher of schemas do not ask, unless they say more than which schema", () => {
    for (const one of known) assert.strictEqual(decided([one]), "allow edit", one)
    const more = ["?d=KEY", "#KEY", `/${"a".repeat(200)}`, "/%41", ":8080/a", "@host.example/a", ".host.example/a"]
    for (const one of more) {
      const said = `https://json.schemastore.org${one}`
      assert.strictEqual(decided([said]), "ask path.schema", said)
    }
  })

  it("that a file had before are no news", () => {
    const before = `{ "$schema": "${address}", "a": 1 }`
    assert.deepStrictEqual(SchemaAddress.added(before, before.replace("1", "2")), [])
    assert.deepStrictEqual(SchemaAddress.added(before, before.replace("KEY", "OTHER")), [
      address.replace("KEY", "OTHER")
    ])
    assert.deepStrictEqual(SchemaAddress.added(undefined, before), [address])
  })

  it("that a command writes ask", () => {
    const approvals = { ...fixtures.listing("echo", "cat"), edit: "allow" as const }
    const ask = (text: string) => {
      const { decision, rule } = ApprovalPolicy.decide(fixtures.command(text, { approvals }))
      return `${decision} ${rule}`
    }
    assert.strictEqual(ask(`echo '{"$schema":"${address}"}' > a.json`), "ask path.schema")
    assert.strictEqual(ask(`echo "{\\"\\$schema\\":\\"${address}\\"}" > a.json`), "ask path.schema")
    assert.strictEqual(ask(`cat > a.yaml <<'E'\n# yaml-language-server: $schema=${address}\nE`), "ask path.schema")
    assert.strictEqual(ask(`echo '{"a":"${address}"}' > a.json`), "allow commands.allow")
  })

  it("are looked for in little time, whatever the text", () => {
    for (const part of ["$schema/*", "$schema : ", "<!DOCTYPE ", "$ref#a\n", 'schemalocation="', "\\u0024schema"]) {
      assert.isArray(SchemaAddress.found(part.repeat(50_000)))
    }
  })
})
