/**
 * Code that an interpreter is given, told apart by its text: what can only compute and print, and everything else.
 *
 * It fails closed: a name, an attribute or a character that is not listed makes it unseen, also inside of a string. Only
 * Python and JavaScript are known, since what they can do comes from names, attributes and imports; nothing else is.
 */
export type Language = "python" | "node" | "shell" | "other"

/** Text without escapes that could spell a name, and without letters that are another one's. */
const plain = /^(?:[\n\t\x20-\x5b\x5d-\x7e]|\\[nt'"\\])*$/

const listOf = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const attributes: Readonly<Record<"python" | "node", ReadonlySet<string>>> = {
  python: listOf(
    "stdout stderr stdin write flush argv exit version version_info platform loads dumps load join split strip lower upper replace append items keys values get sqrt pi floor ceil sleep time now isoformat startswith endswith count index sort title zfill read readline readlines buffer"
  ),
  node: listOf(
    "log error warn info stdout stderr stdin write exit argv env version versions pid platform cwd on once then catch finally length repeat join map filter reduce forEach slice split stringify parse push pop toString toFixed padStart padEnd trim replace replaceAll includes indexOf fill from max min floor ceil round abs random now sort reverse concat at toUpperCase toLowerCase startsWith endsWith"
  )
}

const modules = listOf("json sys math time datetime")

/** Names that hold more than values, in either language. */
const power =
  /^(?:exec|eval|compile|open|getattr|setattr|delattr|vars|globals|locals|input|breakpoint|help|type|arguments|callee|object|super|class|memoryview|global|globalThis|require|module|exports|import|from|Function|AsyncFunction|fetch|this|with|constructor|prototype|Reflect|Proxy|Symbol|WebAssembly|WebSocket|EventSource|Worker|SharedWorker|Object|navigator|localStorage|sessionStorage|caches|process|assert|async_hooks|buffer|child_process|cluster|crypto|dgram|diagnostics_channel|dns|domain|events|fs|http|http2|https|inspector|net|os|perf_hooks|punycode|querystring|readline|repl|sea|sqlite|stream|string_decoder|sys|test|timers|tls|trace_events|tty|url|util|v8|vm|wasi|worker_threads|zlib|root|GLOBAL)$/

/** Literals alone: what is computed could be any name. */
const literals = /\[(?:\s*(?:-?[\d.]+|"[^"\\[\]]*"|'[^'\\[\]]*')\s*,?)*\s*\]/g

/** Without what may be imported, and `sys`, whose attributes are listed; undefined for another import. */
const pythonNames = (code: string): string | undefined => {
  const rest = code.replaceAll(
    /^([ \t]*|.*;[ \t]*)import ([\w, ]+)(?=;|\n|$)/gm,
    (whole, before: string, names: string) =>
      names.split(",").every((name) => modules.has(name.trim())) ? before : whole
  )
  return rest.replaceAll(/(?<![\w.])sys(?=\.\w)/g, "")
}

/** `[x]` of JavaScript reaches every attribute. */
const nodeNames = (code: string): string | undefined => {
  const rest = code.replaceAll(literals, " ")
  return /[[\]`]/.test(rest) ? undefined : rest.replaceAll(/(?<![\w.$])process(?=\.\w)/g, "")
}

/** True when the code only computes and prints. */
export const isHarmless = (language: Language, code: string): boolean => {
  if ((language !== "python" && language !== "node") || code.length > 65_536 || !plain.test(code)) return false
  const rest = language === "python" ? pythonNames(code) : nodeNames(code)
  if (rest === undefined) return false
  return [...rest.matchAll(/(\?\.|\.{1,3})?\s*([A-Za-z_$][\w$]*)/g)].every(([, dot, name = ""]) => {
    if (name.includes("__") || name.startsWith("_") || name.startsWith("$")) return false
    return dot === "." || dot === "?." ? attributes[language].has(name) : !power.test(name)
  })
}
