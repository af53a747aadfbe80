import path from "node:path"
import type { Plugin, RolldownOptions } from "rolldown"

/** What a host's bundle does not forgive: an import that is not found would be left for its user to meet. */
export const whole: Pick<RolldownOptions, "onLog"> = {
  onLog: (level, log, handler) => {
    if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message)
    // A library that the grammars need.
    if (log.code !== "EVAL") handler(level, log)
  }
}

const headerMap = path.resolve(import.meta.dirname, "../../packages/model-client/src/internal/HeaderMap.ts")

/**
 * The SDK of the model service without what Node would load for it at each start: the built-in `fetch`, for its `Headers`
 * alone, and streams of the web, to see that the bytes which are sent are none.
 */
export const lightSdk: Plugin = {
  name: "light-sdk",
  transform: {
    filter: { id: /@anthropic-ai[\\/]sdk[\\/].*\.mjs$/, code: /\bHeaders\b|globalThis\.ReadableStream/ },
    handler: (code) =>
      `import { HeaderMap as Headers } from ${JSON.stringify(headerMap)};\n${code.replaceAll("globalThis.ReadableStream", "undefined")}`
  }
}

/**
 * Signs beyond ASCII as escapes: V8 keeps a source with one of them in two bytes a sign, for as long as its process lives.
 * A template that asks for its raw text would read the escape.
 */
export const ascii: Plugin = {
  name: "ascii",
  generateBundle: (_, files) => {
    for (const file of Object.values(files)) {
      if (file.type !== "chunk") continue
      if (/\braw`[^`]*[^\0-\x7f]/.test(file.code)) throw new Error(`${file.fileName} has a raw text beyond ASCII`)
      const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`
      file.code = file.code.replace(/[^\0-\x7f]/g, escaped)
    }
  }
}

/**
 * What `import * as` of a required module is: the module, with its `default`. The bundler's own way copies each of its
 * names, hundreds for Node's modules and an editor's API, at each start.
 */
export const namespaces: Plugin = {
  name: "namespaces",
  transform: (code, id) => {
    if (id !== "\0rolldown/runtime.js") return undefined
    const [declared, ...more] = code.match(/\bvar __toESM = (?=\(mod, isNodeMode, target\) => )/gu) ?? []
    if (declared === undefined || more.length > 0) throw new Error("the bundler makes namespaces in another way now")
    const lean = "isNodeMode && mod instanceof Object ? __create(mod, { default: { value: mod, enumerable: true } })"
    return code.replace(
      declared,
      `var __toESM = (mod, isNodeMode, target) => ${lean} : __copied(mod, isNodeMode, target);\nvar __copied = `
    )
  }
}
