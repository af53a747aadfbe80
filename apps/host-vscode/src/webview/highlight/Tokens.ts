/** Code as pieces of a kind, line by line; the pieces of a line are the line. */
import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript"
import css from "@shikijs/langs/css"
import diff from "@shikijs/langs/diff"
import go from "@shikijs/langs/go"
import java from "@shikijs/langs/java"
import json from "@shikijs/langs/json"
import python from "@shikijs/langs/python"
import rust from "@shikijs/langs/rust"
import shellscript from "@shikijs/langs/shellscript"
import sql from "@shikijs/langs/sql"
import toml from "@shikijs/langs/toml"
import tsx from "@shikijs/langs/tsx"
import yaml from "@shikijs/langs/yaml"
import { codeToTokensBase, createShikiPrimitive } from "@shikijs/primitive"
import type { Kind, Line } from "./Line.ts"
import type { Grammar } from "./languages.ts"

const scopes: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  comment: ["comment", "meta.diff.header", "meta.diff.range"],
  string: ["string", "punctuation.definition.string", "markup.inserted"],
  keyword: ["keyword", "storage", "variable.language", "entity.name.tag", "markup.deleted"],
  constant: ["constant", "support.constant", "support.type.property-name", "entity.other.attribute-name"],
  name: ["entity.name.function", "support.function", "entity.name.type", "entity.name.section", "support.class"]
}

/** What a theme calls a colour is the kind here: no colour is in it. */
const theme = {
  name: "kinds",
  fg: "plain",
  bg: "plain",
  settings: Object.entries({ ...scopes, plain: ["keyword.operator"] }).map(([kind, scope]) => ({
    scope: [...scope],
    settings: { foreground: kind }
  }))
}

const made = createShikiPrimitive({
  engine: createJavaScriptRegexEngine({ forgiving: true }),
  themes: [theme],
  langs: [css, diff, go, java, json, python, rust, shellscript, sql, toml, tsx, yaml].flat()
})

/** Characters of a line that is read at all; how long that takes is for the view to say, since a first line builds its grammar. */
const limits = { tokenizeTimeLimit: 0, tokenizeMaxLineLength: 1000 }

const isKind = (color: string | undefined): color is Kind => color !== undefined && color in scopes

export const of = (grammar: Grammar, text: string): ReadonlyArray<Line> =>
  codeToTokensBase(made, text, { lang: grammar, theme: "kinds", ...limits }).map((tokens) => {
    const line: Array<[string, Kind?]> = []
    for (const { color, content } of tokens) {
      const last = line.at(-1)
      const kind = isKind(color) ? color : undefined
      if (last !== undefined && last[1] === kind) last[0] += content
      else line.push(kind === undefined ? [content] : [content, kind])
    }
    return line
  })
