/**
 * What of a home folder a confined command sees: tool chains, and caches of packages, without the credentials beside them.
 *
 * Guarantees: what is not listed, and is not on PATH, is not named here; a file of settings that holds something like a
 * credential is left out.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { contains } from "./PathResolver.ts"

/** Where a folder keeps credentials, too, its harmless parts are listed instead. */
const known: ReadonlyArray<string> = [
  // Versions of many languages.
  ".asdf",
  ".proto",
  ".sdkman",
  ".local/share/mise/installs",
  ".local/share/mise/shims",
  ".local/share/mise/plugins",
  ".linuxbrew",
  ".nix-profile",
  ".local/state/nix",
  // JavaScript.
  ".nvm",
  ".fnm",
  ".local/share/fnm",
  ".volta",
  ".nodenv",
  ".bun",
  ".deno",
  ".npm/_cacache",
  ".npm-global",
  ".npm-packages",
  ".local/share/pnpm",
  ".cache/pnpm",
  ".cache/node",
  ".cache/node-gyp",
  ".cache/yarn",
  ".cache/ms-playwright",
  ".cache/puppeteer",
  ".cache/Cypress",
  ".yarn/berry",
  // Python.
  ".pyenv",
  ".local/bin",
  ".local/lib",
  ".local/pipx",
  ".local/share/pipx",
  ".local/share/uv/python",
  ".local/share/uv/tools",
  ".cache/pip",
  ".cache/pypoetry",
  ".cache/uv",
  "anaconda3",
  "mambaforge",
  "miniconda3",
  "miniforge3",
  // Rust, Go, C.
  ".cargo/bin",
  ".cargo/git",
  ".cargo/registry",
  ".rustup",
  ".goenv",
  "go/bin",
  "go/pkg",
  ".conan2/p",
  // Java.
  ".jenv",
  ".gradle/caches",
  ".gradle/jdks",
  ".gradle/wrapper",
  ".ivy2/cache",
  ".m2/repository",
  ".m2/wrapper",
  ".sbt/boot",
  ".sbt/launchers",
  ".cache/coursier",
  // Others.
  ".bundle/cache",
  ".gem/ruby",
  ".local/share/gem",
  ".rbenv",
  ".rvm",
  ".composer/vendor",
  ".config/composer/vendor",
  ".phpenv",
  ".dotnet/host",
  ".dotnet/sdk",
  ".dotnet/shared",
  ".dotnet/tools",
  ".nuget/packages",
  ".elan",
  ".ghcup",
  ".cabal/bin",
  ".cabal/packages",
  ".stack/programs",
  ".stack/snapshots",
  ".julia/artifacts",
  ".julia/compiled",
  ".julia/juliaup",
  ".julia/packages",
  ".opam",
  ".mix/archives",
  ".hex/packages",
  ".pub-cache/bin",
  ".pub-cache/hosted",
  ".swiftly"
]

const settings: ReadonlyArray<string> = [
  ".gitconfig",
  ".config/git/attributes",
  ".config/git/config",
  ".config/git/ignore",
  ".cargo/config",
  ".cargo/config.toml",
  ".cargo/env"
]

/** Beside a folder `bin`: what its programs load. */
const besidePrograms: ReadonlyArray<string> = ["include", "lib", "lib64", "libexec", "share"]

const credential = /extraheader|token|passw|secret|:\/\/[^/\s]*@|gh[pousr]_|\bkey\s*=/i

const holdsNone = (file: string): boolean => {
  try {
    return fs.statSync(file).size <= 100_000 && !credential.test(fs.readFileSync(file, "utf8"))
  } catch {
    return false
  }
}

const real = (file: string): ReadonlyArray<string> => {
  try {
    return [file, fs.realpathSync.native(file)]
  } catch {
    return []
  }
}

/** A folder of PATH, and what belongs to it where it is the `bin` of a tool chain rather than of the whole home. */
const withOwn = (home: string, folder: string): ReadonlyArray<string> => {
  const above = path.dirname(folder)
  const isShared = above === home || above === path.join(home, ".local")
  return path.basename(folder) === "bin" && !isShared
    ? [folder, ...besidePrograms.map((name) => path.join(above, name))]
    : [folder]
}

/** `searchPath`: absolute folders. What exists of it in the home folder, links also where they lead; outermost first. */
export const within = (home: string, searchPath: ReadonlyArray<string>): ReadonlyArray<string> => {
  const inHome = (file: string) => file !== home && contains(home, file)
  const chains = known.map((name) => path.join(home, name))
  const called = searchPath
    .flatMap(real)
    .filter(inHome)
    .flatMap((folder) => withOwn(home, folder))
  const files = settings.map((name) => path.join(home, name)).filter(holdsNone)
  const all = [...new Set([...chains, ...called, ...files].flatMap(real).filter(inHome))]
  return all
    .filter((file) => !all.some((other) => other !== file && contains(other, file)))
    .toSorted((left, right) => left.length - right.length)
}
