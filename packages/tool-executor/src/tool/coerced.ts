/**
 * Values whose meaning is plain, as the JSON Schema of a tool has them: a number or a yes or no that is written as text,
 * one text for a list of texts, a list or an object as JSON text, and null for what may be left out.
 *
 * Guarantees: a value that the schema takes stays what it is; a text stays one where the schema takes a text.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isObject } from "../internal/argumentNames.ts"

type Node = Readonly<Record<string, unknown>>

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const parsed = (text: string): unknown => Option.getOrUndefined(decodeJson(text))

const numeral = /^\s*-?\d+(\.\d+)?\s*$/

const nodeAt = (schema: Node, key: string): Node => {
  const node = schema[key]
  return isObject(node) ? node : {}
}

const listOf = (value: unknown, items: Node): unknown => {
  const list = typeof value === "string" ? parsed(value) : value
  if (Array.isArray(list)) return list.map((item) => coerced(item, items))
  return typeof value === "string" && items["type"] === "string" ? [value] : value
}

const objectOf = (value: unknown, schema: Node): unknown => {
  const object = typeof value === "string" ? parsed(value) : value
  if (!isObject(object)) return value
  const properties = nodeAt(schema, "properties")
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : [])
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, field]) => {
      if (!Object.hasOwn(properties, key)) return [[key, field]]
      return field === null && !required.has(key) ? [] : [[key, coerced(field, nodeAt(properties, key))]]
    })
  )
}

export const coerced = (value: unknown, schema: Node): unknown => {
  switch (schema["type"]) {
    case "integer":
    case "number":
      return typeof value === "string" && numeral.test(value) ? Number(value) : value
    case "boolean":
      return typeof value === "string" && /^\s*(true|false)\s*$/i.test(value)
        ? value.trim().toLowerCase() === "true"
        : value
    case "array":
      return listOf(value, nodeAt(schema, "items"))
    case "object":
      return objectOf(value, schema)
    default:
      return value
  }
}
