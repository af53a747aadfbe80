/**
 * Variables that can be set for a program without changing what runs. Whatever is not listed may load code.
 *
 * Each group says why it is harmless, and which values are. A value of any group is one that make and shells put into
 * their commands without another meaning: letters, digits and `_ . / : @ * = , + % -`.
 */
import type { Value } from "../text/words.ts"

interface Group {
  readonly names: string
  readonly value: RegExp
}

/** A word that leads to no file. */
const word = /^(?![:/])(?!.*\.\.)[A-Za-z0-9_./:@-]*$/
/** A text that is compared or shown, and never opened. */
const text = /^[A-Za-z0-9_./:@*=,+%-]*$/
const number = /^[A-Za-z0-9.:_-]*$/

const groups: ReadonlyArray<Group> = [
  // Which settings of the project hold: a name that the project's own code compares.
  {
    names:
      "NODE_ENV RAILS_ENV RACK_ENV APP_ENV FLASK_ENV DJANGO_ENV ENV ENVIRONMENT STAGE MIX_ENV ASPNETCORE_ENVIRONMENT DOTNET_ENVIRONMENT PROFILE SPRING_PROFILES_ACTIVE BABEL_ENV VITE_MODE TEST_ENV",
    value: word
  },
  // Languages, time zones and terminals: names of the system's own tables, never a path.
  { names: "LC_ALL LANG LC_CTYPE LC_COLLATE LC_TIME LC_MESSAGES TZ TERM COLUMNS LINES COLORTERM", value: word },
  // Switches of what is said: colours, progress, how much.
  {
    names:
      "CI FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE PY_COLORS CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN VERBOSE V DEBUG LOG_LEVEL LOGLEVEL RUST_LOG RUST_BACKTRACE RUST_LIB_BACKTRACE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8 PYTHONTRACEMALLOC PYTHONFAULTHANDLER PYTHONDEVMODE NODE_NO_WARNINGS NODE_DEBUG NODE_DISABLE_COLORS NODE_PENDING_DEPRECATION GOTRACEBACK GODEBUG GTEST_COLOR CTEST_OUTPUT_ON_FAILURE CMAKE_COLOR_DIAGNOSTICS MAKE_TERMOUT NINJA_STATUS DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO NEXT_TELEMETRY_DISABLED TURBO_TELEMETRY_DISABLED DO_NOT_TRACK ADBLOCK DISABLE_OPENCOLLECTIVE HUSKY HUSKY_SKIP_HOOKS PRE_COMMIT_ALLOW_NO_CONFIG BROWSERSLIST_IGNORE_OLD_DATA SENTRYCLI_SKIP_DOWNLOAD TS_NODE_TRANSPILE_ONLY VITEST_SEGFAULT_RETRY UPDATE_SNAPSHOTS UPDATE_GOLDEN UPDATE_EXPECT INSTA_UPDATE SNAPSHOT_UPDATE BLESS GIT_OPTIONAL_LOCKS",
    value: text
  },
  // Numbers: of threads, cases, ports, seconds.
  {
    names:
      "PORT JOBS CARGO_BUILD_JOBS CARGO_INCREMENTAL RUST_TEST_THREADS RUST_MIN_STACK GOMAXPROCS GOGC GOMEMLIMIT UV_THREADPOOL_SIZE OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL PROPTEST_CASES QUICKCHECK_TESTS PYTEST_XDIST_AUTO_NUM_WORKERS TIMEOUT JEST_WORKERS VITEST_MAX_WORKERS VITEST_MAX_THREADS SEED TEST_SEED RETRIES SOURCE_DATE_EPOCH TF_CPP_MIN_LOG_LEVEL CUDA_VISIBLE_DEVICES",
    value: number
  },
  // For which machine is built: names from the compiler's own list, and switches of cgo and modules.
  {
    names: "CGO_ENABLED GOOS GOARCH GOARM GOAMD64 GO111MODULE GOEXPERIMENT MACOSX_DEPLOYMENT_TARGET",
    value: number
  },
  {
    names: "CARGO_PROFILE CARGO_NET_OFFLINE CARGO_NET_RETRY SQLX_OFFLINE GOTOOLCHAIN",
    value: /^(?:local|auto|true|false|\d+)?$/
  },
  // How optimised: none of these names a program.
  { names: "GOFLAGS", value: /^(?:-(?:mod=(?:mod|vendor|readonly)|count=\d+|v|race|short|trimpath|p=\d+)(?: |$))*$/ },
  { names: "RUSTFLAGS RUSTDOCFLAGS", value: /^(?:-[DWAF] ?[a-z][\w:-]*(?: |$))*$/ },
  {
    names: "NODE_OPTIONS",
    value:
      /^(?:--(?:max[-_]old[-_]space[-_]size=\d+|max-semi-space-size=\d+|stack-trace-limit=\d+|experimental-vm-modules|no-warnings|no-deprecation|trace-warnings|trace-deprecation|trace-uncaught|enable-source-maps|openssl-legacy-provider|unhandled-rejections=[a-z-]+|experimental-strip-types|no-experimental-[a-z-]+|dns-result-order=[a-z0-9]+)(?: |$))*$/
  },
  {
    names: "MAVEN_OPTS GRADLE_OPTS JAVA_OPTS JAVA_TOOL_OPTIONS SBT_OPTS JVM_OPTS",
    value:
      /^(?:-(?:Xm[xsn]\d+[kKmMgG]?|Xss\d+[kKmMgG]?|XX:MaxMetaspaceSize=\d+[mMgG]?|Dorg\.gradle\.(?:daemon|parallel|caching)=(?:true|false)|Dfile\.encoding=[\w-]+|ea)(?: |$))*$/
  },
  { names: "PYTEST_ADDOPTS", value: /^(?:-(?:v+|q+|x|s|-tb=[a-z]+|-maxfail=\d+|-color=[a-z]+)(?: |$))*$/ },
  { names: "PYTHONWARNINGS", value: /^(?:ignore|default|error|always|module|once)(?:::[A-Za-z]+Warning)?$/ }
]

const listed: ReadonlyMap<string, Group> = new Map(
  groups.flatMap((group) => group.names.split(" ").map((name) => [name, group] as const))
)

/** Folders that modules of a language are taken from: to run them is to run code of the project. */
const folders: ReadonlyMap<string, RegExp> = new Map([
  [
    "PYTHONPATH",
    /^(?:python[\d.]*|pytest|py\.test|mypy|pylint|flake8|ruff|black|coverage|tox|nox|sphinx-build|uvicorn|gunicorn|flask|django-admin|celery|alembic|uv|poetry|make|timeout|time)$/
  ],
  ["NODE_PATH", /^(?:node|npm|pnpm|yarn|npx|vitest|jest|mocha|tsc|tsx|ts-node|eslint|timeout|time)$/]
])

/** Modules of the project by their names, for programs of its language. */
const modules: ReadonlyMap<string, RegExp> = new Map([
  ["DJANGO_SETTINGS_MODULE", /^[A-Za-z_][\w.]*$/],
  ["FLASK_APP", /^[A-Za-z_][\w.:]*$/],
  ["DJANGO_CONFIGURATION", /^[A-Za-z_]\w*$/]
])

/** Texts that bundlers put into the code of a page, by what their names begin with. */
const embedded = /^(?:VITE_(?!NODE_)|NEXT_PUBLIC_|REACT_APP_|NUXT_PUBLIC_|EXPO_PUBLIC_|VUE_APP_)[A-Z0-9_]+$/

const folder = /^(?!-)[A-Za-z0-9_./@-]+$/

/** Of a variable that names folders of modules: which. Each is read, and has to lie in the workspace. */
export const pathsOf = (name: string, value: Value | undefined): ReadonlyArray<Value> =>
  folders.has(name) && typeof value?.text === "string"
    ? value.text.split(":").flatMap((path) => (path === "" ? [] : [{ text: path, glob: false, written: path }]))
    : []

const files =
  /^(?:GIT_TRACE\w*|GIT_(?:DIR|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|WORK_TREE)|\w*(?:LOG_?FILE|_OUT(?:PUT)?(?:_FILE)?)|HISTFILE|MALLOC_TRACE|COVERAGE_FILE|NODE_V8_COVERAGE|NODE_REDIRECT_WARNINGS|NODE_COMPILE_CACHE|PYTHONPYCACHEPREFIX|LLVM_PROFILE_FILE|GCOV_PREFIX|GOCOVERDIR)$/

/** Its value names what a program writes. */
export const isWritten = (name: string): boolean => files.test(name)

/** Why a variable may change what runs, for a program or for a text as a whole; undefined when it cannot. */
export const problemOf = (
  name: string,
  value: Pick<Value, "text" | "glob"> | undefined,
  program: string | undefined
): string | undefined => {
  const problem = `${name} may change what runs`
  if (value === undefined || value.text === null) return problem
  const found = listed.get(name)
  // A pattern is not expanded in an assignment.
  const plain = value.glob ? value.text.replace(/\\(.)/g, "$1") : value.text
  if (found !== undefined) return found.value.test(plain) && !plain.includes("..") ? undefined : problem
  if (embedded.test(name)) return text.test(plain) && !plain.includes("..") ? undefined : problem
  const module = modules.get(name)
  if (module !== undefined && folders.get("PYTHONPATH")?.test(program ?? "") === true)
    return module.test(plain) ? undefined : problem
  const own = folders.get(name)
  const isFolder =
    own?.test(program ?? "") === true && plain.split(":").every((path) => path === "" || folder.test(path))
  return isFolder ? undefined : problem
}
