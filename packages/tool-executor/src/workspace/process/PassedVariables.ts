/**
 * Which variables of the person's environment a command sees, each with the reason.
 *
 * Guarantees: nothing that is secret by its name or by its value passes, nothing that makes a program load or run what
 * the command does not name, nothing that changes how bash reads the command, and nothing of Belay's own. The login in
 * the address of a proxy is a secret: the address passes without it. What leads to a service of the person's session,
 * such as an ssh-agent, passes outside of the box only. The user's settings come after that: `block` takes more away,
 * `pass` gives back, but nothing that changes how the command is read. Pure.
 */

/** Of the user's settings: names, or beginnings of names with a `*` behind them. */
export interface Rules {
  readonly pass: ReadonlyArray<string>
  readonly block: ReadonlyArray<string>
}

/** The rules of a user who has set none. */
export const noRules: Rules = { pass: [], block: [] }

/** Says whether a variable is passed to commands, and why. */
export interface Verdict {
  /** `unconfined`: outside of the box only. */
  readonly passes: "always" | "unconfined" | "never"
  /** Half a sentence. */
  readonly why: string
  /** What is passed, where it is not the whole value. */
  readonly value?: string
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Needed by nearly every program, and of no danger. */
const plain = names("HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM TMPDIR TZ PATH SSH_CONNECTION SSH_TTY")

/** They change how bash reads a command, or tell of another shell. https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html */
const ofShell =
  /^(?:BASH.*|SHELLOPTS|ENV|IFS|CDPATH|GLOBIGNORE|EXECIGNORE|FIGNORE|POSIXLY_CORRECT|PS[0-4]|PROMPT_COMMAND|PWD|OLDPWD|SHLVL|_|ZDOTDIR|FPATH|KSH_ENV|INPUTRC|HISTFILE|HISTCMD|TIMEFORMAT|OPTIND|OPTERR|FUNCNEST|COMP_.*)$/

/** Belay's own, and those of the editor that it runs in. */
const ofHost =
  /^(?:BELAY_.*|VSCODE_.*|ELECTRON_.*|INIT_CWD|npm_(?:package|lifecycle)_.*|npm_(?:command|execpath|node_execpath))$/

/** Of git all but names, dates and certificates: it runs what the others name, or works elsewhere by them. https://git-scm.com/docs/git#_environment_variables */
const ofGit =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|TERMINAL_PROMPT|SSL_CAINFO|SSL_CAPATH|CEILING_DIRECTORIES|LFS_SKIP_SMUDGE|MERGE_AUTOEDIT|DEFAULT_HASH)$/

/**
 * They name code that programs load or run besides what a command names: libraries, start-up files, agents, preprocessors,
 * options that may name one of these.
 */
const loading: ReadonlyArray<RegExp> = [
  // The loader of the system and its C library. https://man7.org/linux/man-pages/man8/ld.so.8.html
  /^(?:_?LD_.*|DYLD_.*|_RLD.*|LIBPATH|SHLIB_PATH|GCONV_PATH|GETCONF_DIR|GLIBC_TUNABLES|LOCPATH|NLSPATH|MALLOC_.*|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|NIS_PATH|RESOLV_.*)$/,
  // Node, Deno, Bun. https://nodejs.org/api/cli.html#environment-variables
  /^(?:NODE_OPTIONS|NODE_REPL_.*|NODE_CHANNEL_.*|NODE_UNIQUE_ID|NODE_REDIRECT_WARNINGS|NODE_COMPILE_CACHE|NODE_V8_COVERAGE|BUN_OPTIONS|BUN_INSPECT.*|TS_NODE_.*|JITI_.*)$/,
  // npm runs what these name. https://docs.npmjs.com/cli/using-npm/config
  /^npm_config_(?:script_shell|shell|node_options|git|editor|viewer|node_gyp|onload_script|init_module|init_.*module|globalconfig|userconfig|pnpmfile|global_pnpmfile|browser)$/i,
  // Python and its tools; what only switches something is listed below. https://docs.python.org/3/using/cmdline.html#environment-variables
  /^(?:PYTHON.*|PYTEST_.*|COVERAGE_PROCESS_.*|COVERAGE_FILE|PIP_(?:CONFIG_FILE|REQUIRE_.*)|VIRTUALENV_.*|PYLINTRC|MYPYPATH|IPYTHONDIR|PIPENV_.*SHELL.*)$/,
  /^(?:PERL.*|PERL5.*|RUBY.*|BUNDLE_(?:GEMFILE|PATH|BIN|WITH|CONFIG)|BUNDLER_.*|PHPRC|PHP_INI_SCAN_DIR|LUA_.*|R_(?:PROFILE|ENVIRON|LIBS).*|JULIA_(?:LOAD_PATH|PROJECT)|GUILE_.*|TCLLIBPATH|ERL_.*|ELIXIR_.*|ERLANG_.*|GHC_ENVIRONMENT|GHC_PACKAGE_PATH|CAML.*|OCAMLLIB|SWIPL.*)$/,
  /^(?:_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|(?:JAVA|JVM|MAVEN|GRADLE|SBT|ANT|KOTLIN|SCALA|LEIN_JVM)_(?:OPTS|ARGS)|MAVEN_ARGS|IBM_JAVA_OPTIONS|GROOVY_.*|JRUBY_OPTS)$/,
  /^(?:DOTNET_(?:STARTUP_HOOKS|ADDITIONAL_DEPS|SHARED_STORE|.*[Pp]rofiler.*)|CORECLR_.*|COR_.*|COMPlus_.*|MONO_.*|MSBUILD.*)$/i,
  // Compilers and builders that run what these name.
  /^(?:GOFLAGS|GOENV|GOTOOLDIR|GO_EXTLINK.*|RUST(?:DOC)?FLAGS|CARGO_ENCODED_.*|CARGO_BUILD_RUST.*|CARGO_TARGET_.*_(?:RUNNER|LINKER|RUSTFLAGS)|RUSTC.*WRAPPER|GNUMAKEFLAGS|MAKEFLAGS|MAKEFILES|MFLAGS|CMAKE_.*(?:LAUNCHER|TOOLCHAIN_FILE)|GCC_EXEC_PREFIX|COMPILER_PATH|CCC_OVERRIDE_OPTIONS)$/,
  // Programs that others start, and options of programs that only read.
  /^(?:LESS(?:OPEN|CLOSE|KEY.*|EDIT)|MANPAGER|MANOPT|RIPGREP_CONFIG_PATH|GREP_OPTIONS|ACK_OPTIONS|ACKRC|TAR_OPTIONS|ZIPOPT|UNZIP|RSYNC_.*|CVS_RSH|SVN_SSH|SSH_ASKPASS.*|SUDO_ASKPASS|VIMINIT|EXINIT|MYVIMRC|EMACSLOADPATH|FCEDIT|FZF_.*|BAT_.*|DELTA_.*|PAGER|.*_PAGER|DIRENV_.*|CURL_HOME|WGETRC|SYSTEMD_.*|DEBUGINFOD_.*|GTK_MODULES|GTK_PATH|GIO_.*|QT_PLUGIN_PATH|LV2_PATH|__COMPAT_LAYER)$/
]

/** Of the families above what only switches something. */
const switches = names(
  "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8 PYTHONFAULTHANDLER PYTHONNOUSERSITE PYTHONSAFEPATH PYTHONDEVMODE PYTHONTRACEMALLOC PYTHONASYNCIODEBUG PYTHONUSERBASE BUNDLE_PATH BUNDLE_WITHOUT PYTEST_XDIST_AUTO_NUM_WORKERS PERL_MM_USE_DEFAULT RUBY_YJIT_ENABLE"
)

/** Options that are set every day and name nothing. */
const harmless: ReadonlyArray<readonly [names: RegExp, value: RegExp]> = [
  [
    /^NODE_OPTIONS$/,
    /^(?:--(?:max[-_]old[-_]space[-_]size|max-semi-space-size|stack-trace-limit)=\d+(?: |$)|--(?:no-warnings|no-deprecation|enable-source-maps|use-openssl-ca|use-system-ca|openssl-legacy-provider)(?: |$))*$/
  ],
  [
    /^(?:MAVEN|GRADLE|JAVA|SBT|JVM)_OPTS$|^JAVA_TOOL_OPTIONS$/,
    /^(?:-(?:Xm[xsn]\d+[kKmMgG]?|Xss\d+[kKmMgG]?|XX:MaxMetaspaceSize=\d+[mMgG]?|Dfile\.encoding=[\w-]+|Dorg\.gradle\.(?:daemon|parallel|caching)=(?:true|false)|ea)(?: |$))*$/
  ],
  [/^MAKEFLAGS$/, /^(?:-?j ?\d*|--jobs=\d+|-?k|-?s)?$/],
  [/^GOFLAGS$/, /^(?:-(?:mod=(?:mod|vendor|readonly)|v|trimpath|p=\d+)(?: |$))*$/],
  [/^RUST(?:DOC)?FLAGS$/, /^(?:-[DWAF] ?[a-z][\w:-]*(?: |$))*$/]
]

/** Lists of folders from which code is loaded: what lies in the workspace, or is relative, is left out of them. */
export const isFolderList = (name: string): boolean =>
  /^(?:PATH|PYTHONPATH|NODE_PATH|CLASSPATH|PERL5LIB|RUBYLIB|MANPATH|XDG_(?:DATA|CONFIG)_DIRS|PKG_CONFIG_PATH|CMAKE_PREFIX_PATH|TEXINPUTS)$/.test(
    name
  )

const proxy =
  /^(?:(?:https?|all|ftp|rsync|socks5?)_proxy|npm_config_(?:https?_)?proxy|npm_config_https_proxy|yarn_https?_proxy|no_proxy|npm_config_noproxy)$/i

/** They lead to what runs for the person: agents of keys, the screen, containers, other sessions. */
const ofSession =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|GPG_TTY|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|XDG_SESSION_.*|SESSION_MANAGER|DESKTOP_SESSION|ICEAUTHORITY|DOCKER_HOST|DOCKER_CONTEXT|CONTAINER_HOST|KUBECONFIG|TMUX|TMUX_PANE|STY|I3SOCK|SWAYSOCK|GNOME_KEYRING_CONTROL|PULSE_SERVER|NVIM|SUDO_.*)$/

/** Names, in words of theirs, that say that the value is nobody's business. */
const secretWords = names(
  "KEY KEYS APIKEY TOKEN TOKENS SECRET SECRETS PASS PASSWD PASSWORD PASSWORDS PASSPHRASE PWD PSWD CREDENTIAL CREDENTIALS CREDS AUTH AUTHTOKEN AUTHORIZATION COOKIE COOKIES PAT JWT BEARER PRIVATE SIGNING SIGNATURE DSN HEADER HEADERS WEBHOOK LOGIN SALT OTP MFA LICENSE LICENCE SESSIONID CONNSTR"
)
const secretPart =
  /token|secret|passw|passphrase|credential|api_?key|access_?key|private_?key|connection_?string|_authent/i

/** A switch or a small number is no secret, whatever it is called. */
const isSwitch = (value: string): boolean => /^(?:|true|false|yes|no|on|off|\d)$/i.test(value)

/** `AWS_SECRET_ACCESS_KEY`, `npm_config_//host/:_authToken`, `stripeApiKey`. */
const isSecretName = (name: string): boolean =>
  secretPart.test(name) ||
  name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .split(/[^A-Za-z]+/)
    .some((word) => secretWords.has(word.toUpperCase()))

/** What services give out as keys, by how it begins. https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml */
const keys =
  /(?:^|[^A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|ptt|rt|cbt|dt)-[A-Za-z0-9_-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|SG\.[A-Za-z0-9_-]{16,}\.|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|dop_v1_[a-f0-9]{32,}|shp(?:at|ca|pa|ss)_[a-f0-9]{20,}|dapi[a-f0-9]{32}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|AGE-SECRET-KEY-)|-----BEGIN [A-Z ]*PRIVATE KEY/

/** A login in an address, and settings of a connection that hold one. */
const login =
  /[a-z][a-z0-9+.-]*:\/\/(?:[^/\s:@?#]*:[^/\s]*@)|https?:\/\/[^/\s@?#]+@|(?:^|[;?&\s])(?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature|secret|client_secret|token|access_token|api_?key|sig)=[^;&\s]/i

const isSecretValue = (value: string): boolean => keys.test(value) || login.test(value)

const never = (why: string): Verdict => ({ passes: "never", why })
const always = (why: string, value?: string): Verdict => ({
  passes: "always",
  why,
  ...(value === undefined ? {} : { value })
})

/** The address without the login in it; nothing where it cannot be told where that ends. */
const withoutLogin = (value: string): string | undefined => {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#]*@)?(.*)$/is.exec(value) ?? []
  return rest.includes("@") ? undefined : `${scheme}${rest}`
}

const ofProxy = (value: string): Verdict => {
  const open = withoutLogin(value)
  if (open === undefined) return never("it holds a login, and where that ends is not clear")
  return open === value ? always("") : always("without the login in it", open)
}

const isNamed = (name: string, patterns: ReadonlyArray<string>, insensitive: boolean): boolean => {
  const folded = (text: string) => (insensitive ? text.toUpperCase() : text)
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? folded(name).startsWith(folded(pattern.slice(0, -1))) : folded(name) === folded(pattern)
  )
}

const isLoading = (name: string, value: string): boolean =>
  !switches.has(name) &&
  !isFolderList(name) &&
  loading.some((pattern) => pattern.test(name)) &&
  !harmless.some(([named, usual]) => named.test(name) && usual.test(value))

const byNature = (name: string, value: string): Verdict => {
  if (name.startsWith("GIT_") && !ofGit.test(name)) return never("git runs or reads what it names")
  if (isLoading(name, value)) return never("it may load or run code")
  if (proxy.test(name)) return ofProxy(value)
  if (ofSession.test(name)) return { passes: "unconfined", why: "it leads to your session: outside of the box only" }
  if (isSecretName(name) && !isSwitch(value)) return never("secret by its name")
  if (isSecretValue(value)) return never("secret by its value")
  return always("")
}

/** Gives what becomes of one variable; `insensitive`: names have no case, as on Windows. */
export const judge = (name: string, value: string, rules: Rules = noRules, insensitive = false): Verdict => {
  const key = insensitive ? name.toUpperCase() : name
  if (plain.has(key) || /^LC_[A-Z]+$/.test(key)) return always("")
  if (ofShell.test(key)) return never("the shell of commands has its own, or reads by it")
  if (ofHost.test(key)) return never("it belongs to what started Belay")
  if (isNamed(name, rules.block, insensitive)) return never("env.block")
  const found = byNature(key, value)
  if (!isNamed(name, rules.pass, insensitive)) return found
  return found.passes === "unconfined" ? found : always("env.pass")
}
