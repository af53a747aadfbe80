/**
 * What of a home folder a confined command sees: tool chains, and caches of packages, without the credentials beside them.
 *
 * Guarantees: what is not listed, and is not on PATH, is not named here; a file of settings that holds something like a
 * credential is left out.
 */
import { Folder } from "@belay/machine"
import * as fs from "node:fs"
import * as path from "node:path"

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
const besidePrograms: ReadonlyArray<string> = ["include", "lib", "lib64", "libexec", "share", "pyvenv.cfg"]

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

/** Variables that say where a tool chain lies, and which parts of it hold no credentials; all of it without parts. */
const byVariable: ReadonlyArray<readonly [name: string, parts: ReadonlyArray<string>]> = [
  ["JAVA_HOME", []],
  ["GOROOT", []],
  ["GOPATH", ["bin", "pkg"]],
  ["GOMODCACHE", []],
  ["CARGO_HOME", ["bin", "git", "registry", "env"]],
  ["RUSTUP_HOME", []],
  ["VIRTUAL_ENV", []],
  ["CONDA_PREFIX", []],
  ["PYENV_ROOT", []],
  ["NVM_DIR", []],
  ["VOLTA_HOME", []],
  ["PNPM_HOME", []],
  ["npm_config_cache", ["_cacache"]],
  ["GRADLE_USER_HOME", ["caches", "jdks", "wrapper"]],
  ["MAVEN_HOME", []],
  ["DOTNET_ROOT", []],
  ["NUGET_PACKAGES", []],
  ["GEM_HOME", []],
  ["RBENV_ROOT", []],
  ["ASDF_DATA_DIR", []],
  ["SDKMAN_DIR", []]
]

/** Where tool chains of an environment lie. */
const placesOf = (environment: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  byVariable.flatMap(([name, parts]) => {
    const at = environment[name]
    if (at === undefined || !path.isAbsolute(at)) return []
    return parts.length === 0 ? [at] : parts.map((part) => path.join(at, part))
  })

const certificates =
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|PIP_CERT|GIT_SSL_CAINFO|GIT_SSL_CAPATH|CARGO_HTTP_CAINFO|AWS_CA_BUNDLE|npm_config_cafile|NIX_SSL_CERT_FILE|DENO_CERT|UV_SSL_CERT_FILE|HTTPLIB2_CA_CERTS|GRPC_DEFAULT_SSL_ROOTS_FILE_PATH)$/

const holdsCertificates = (file: string): boolean => {
  try {
    if (!fs.statSync(file).isFile() || fs.statSync(file).size > 4_000_000) return false
    const text = fs.readFileSync(file, "latin1")
    return text.includes("-----BEGIN CERTIFICATE-----") && !text.includes("PRIVATE KEY")
  } catch {
    return false
  }
}

const listed = (folder: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(folder).map((name) => path.join(folder, name))
  } catch {
    return [folder]
  }
}

/**
 * The files of authorities that an environment names and that lie in one of the folders: by its own name, or by where a
 * link leads; none that holds a key besides. A named folder that lies elsewhere is not looked into.
 */
export const authorities = (
  environment: Readonly<Record<string, string>>,
  folders: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const named = Object.entries(environment).filter(([name, at]) => certificates.test(name) && path.isAbsolute(at))
  const places = [...new Set(named.map(([, at]) => at))]
  const within = places.filter((at) => real(at).some((file) => folders.some((folder) => Folder.contains(folder, file))))
  const files = within.flatMap((at) => listed(at).slice(0, 200)).filter(holdsCertificates)
  return [...new Set(files.flatMap(real))]
}

/** A folder of PATH, and what belongs to it where it is the `bin` of a tool chain rather than of the whole home. */
const withOwn = (home: string, folder: string): ReadonlyArray<string> => {
  const above = path.dirname(folder)
  const isShared = above === home || above === path.join(home, ".local")
  return path.basename(folder) === "bin" && !isShared
    ? [folder, ...besidePrograms.map((name) => path.join(above, name))]
    : [folder]
}

/**
 * `searchPath`: absolute folders; `environment`: what names further ones. What exists of them in the home folder, links
 * also where they lead; outermost first.
 */
export const within = (
  home: string,
  searchPath: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): ReadonlyArray<string> => {
  const inHome = (file: string) => file !== home && Folder.contains(home, file)
  const chains = known.map((name) => path.join(home, name))
  const called = searchPath
    .flatMap(real)
    .filter(inHome)
    .flatMap((folder) => withOwn(home, folder))
  const files = settings.map((name) => path.join(home, name)).filter(holdsNone)
  const said = [...placesOf(environment), ...authorities(environment, [home])]
  const all = [...new Set([...chains, ...called, ...files, ...said].flatMap(real).filter(inHome))]
  return all
    .filter((file) => !all.some((other) => other !== file && Folder.contains(other, file)))
    .toSorted((left, right) => left.length - right.length)
}
