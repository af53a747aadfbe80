/** The languages whose definitions are known: by the endings of their files, with the nodes of their grammars. */

export interface Kinds {
  readonly endings: ReadonlyArray<string>
  /** The name of its grammar. */
  readonly grammar: string
  /** Definitions that hold others. */
  readonly outer: ReadonlyArray<string>
  /** Definitions that hold none. */
  readonly inner: ReadonlyArray<string>
  /** Definitions only with a body; else they are a mention. */
  readonly needsBody: ReadonlyArray<string>
  /** Not looked into: bodies of functions. */
  readonly closed: ReadonlyArray<string>
}

const script = {
  outer: ["class_declaration", "abstract_class_declaration", "internal_module", "module"],
  inner: [
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
    "method_definition",
    "abstract_method_signature",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration"
  ],
  needsBody: [],
  closed: ["arrow_function", "function_expression"]
}

export const languages: Readonly<Record<string, Kinds>> = {
  typescript: { ...script, grammar: "typescript", endings: ["ts", "mts", "cts"] },
  tsx: { ...script, grammar: "tsx", endings: ["tsx"] },
  javascript: { ...script, grammar: "javascript", endings: ["js", "jsx", "mjs", "cjs"] },
  python: {
    grammar: "python",
    endings: ["py", "pyi"],
    outer: ["class_definition"],
    inner: ["function_definition"],
    needsBody: [],
    closed: []
  },
  go: {
    grammar: "go",
    endings: ["go"],
    outer: [],
    inner: ["function_declaration", "method_declaration", "type_spec", "type_alias"],
    needsBody: [],
    closed: []
  },
  rust: {
    grammar: "rust",
    endings: ["rs"],
    outer: ["impl_item", "trait_item", "mod_item"],
    inner: [
      "function_item",
      "function_signature_item",
      "struct_item",
      "enum_item",
      "union_item",
      "type_item",
      "macro_definition"
    ],
    needsBody: [],
    closed: []
  },
  java: {
    grammar: "java",
    endings: ["java"],
    outer: ["class_declaration", "interface_declaration", "enum_declaration", "record_declaration"],
    inner: ["method_declaration", "constructor_declaration", "annotation_type_declaration"],
    needsBody: [],
    closed: []
  },
  cpp: {
    grammar: "cpp",
    endings: ["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"],
    outer: ["class_specifier", "struct_specifier", "union_specifier", "namespace_definition"],
    inner: ["function_definition", "enum_specifier", "alias_declaration"],
    needsBody: ["class_specifier", "struct_specifier", "union_specifier", "enum_specifier"],
    closed: []
  },
  csharp: {
    grammar: "c-sharp",
    endings: ["cs"],
    outer: [
      "namespace_declaration",
      "class_declaration",
      "interface_declaration",
      "struct_declaration",
      "record_declaration"
    ],
    inner: ["method_declaration", "constructor_declaration", "enum_declaration", "delegate_declaration"],
    needsBody: [],
    closed: []
  },
  ruby: {
    grammar: "ruby",
    endings: ["rb"],
    outer: ["class", "module"],
    inner: ["method", "singleton_method"],
    needsBody: ["class", "module"],
    closed: []
  },
  php: {
    grammar: "php",
    endings: ["php"],
    outer: ["class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"],
    inner: ["function_definition", "method_declaration"],
    needsBody: [],
    closed: []
  }
}

const byEnding = new Map(
  Object.entries(languages).flatMap(([name, { endings }]) => endings.map((ending) => [ending, name] as const))
)

/** The language of a file by its name. */
export const languageOf = (file: string): string | undefined =>
  byEnding.get(/\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? "")
