/** Which variables of a person's environment a command sees: a table, and the settings of the user. */
import { assert, describe, it } from "vitest"
import * as CommandEnvironment from "../../src/workspace/process/CommandEnvironment.ts"
import * as PassedVariables from "../../src/workspace/process/PassedVariables.ts"

const split = (text: string): ReadonlyArray<string> => text.trim().split(/\s*\n\s*/)

const passes = (line: string, rules?: PassedVariables.Rules, insensitive?: boolean) => {
  const at = line.indexOf("=")
  return PassedVariables.judge(line.slice(0, at), line.slice(at + 1), rules, insensitive)
}

const passed = split(`
  JAVA_HOME=/usr/lib/jvm/java-21
  VIRTUAL_ENV=/ws/.venv
  GOPATH=/users/me/go
  GOPRIVATE=git.example.com
  CARGO_HOME=/users/me/.cargo
  CI=true
  NODE_ENV=test
  NODE_EXTRA_CA_CERTS=/etc/ca.pem
  SSL_CERT_FILE=/etc/ca.pem
  REQUESTS_CA_BUNDLE=/etc/ca.pem
  HTTPS_PROXY=http://proxy:3128
  no_proxy=localhost,.example.com
  npm_config_registry=https://npm.example.com/
  npm_config_cafile=/etc/ca.pem
  npm_config_fund=false
  DATABASE_URL=postgres://localhost/app
  AWS_REGION=eu-west-1
  CC=clang
  CFLAGS=-O2
  RUST_LOG=debug
  PYTHONUNBUFFERED=1
  NODE_OPTIONS=--max-old-space-size=4096
  MAVEN_OPTS=-Xmx2g -Dfile.encoding=UTF-8
  MAKEFLAGS=-j8
  GIT_AUTHOR_NAME=Me
  GIT_TERMINAL_PROMPT=0
  TOKENIZERS_PARALLELISM=false
  XDG_CACHE_HOME=/users/me/.cache
  COMPOSE_PROJECT_NAME=app
  MONKEY=banana
  AUTHOR=me
`)

const outsideOnly = split(`
  SSH_AUTH_SOCK=/tmp/ssh-x/agent.1
  SSH_AGENT_PID=12
  DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus
  DISPLAY=:0
  DOCKER_HOST=unix:///run/user/1000/docker.sock
  KUBECONFIG=/users/me/.kube/config
`)

const kept = split(`
  ANTHROPIC_API_KEY=x
  GITHUB_TOKEN=x
  AWS_SECRET_ACCESS_KEY=x
  GOOGLE_APPLICATION_CREDENTIALS=/users/me/key.json
  DB_PASSWORD=123456
  MYSQL_PWD=x
  stripeApiKey=x
  npm_config__authToken=x
  npm_config_//npm.example.com/:_authToken=x
  NPM_CONFIG__AUTH=x
  SENTRY_DSN=x
  ANTHROPIC_CUSTOM_HEADERS=x-a: b
  SLACK_WEBHOOK=x
  HARMLESS=ghp_abcdefghijklmnopqrstuvwxyz0123456789
  OTHER=sk-ant-api03-abcdefghijklmnop
  CONFIG={"token":"glpat-abcdefghijklmnopqrst"}
  SESSION_COOKIE_NAME=x
  MY_URL=https://user:pass@host/
  REDIS_URL=redis://:pass@host:6379
  REPOSITORY=https://abcdef@git.example.com/x
  CONNECTION=Server=db;Password=hunter2
  NOTE=-----BEGIN RSA PRIVATE KEY-----
  LD_PRELOAD=x.so
  LD_LIBRARY_PATH=/opt/lib
  DYLD_INSERT_LIBRARIES=x
  GCONV_PATH=x
  GLIBC_TUNABLES=x
  BASH_ENV=x
  BASH_FUNC_ls%%=() { :; }
  ENV=x
  SHELLOPTS=xtrace
  POSIXLY_CORRECT=1
  CDPATH=/
  GLOBIGNORE=*
  IFS=x
  NODE_OPTIONS=--require ./x.js
  NODE_OPTIONS=--max-old-space-size=1 --import=./x.mjs
  PYTHONSTARTUP=x.py
  PYTHONHOME=/x
  PYTHONBREAKPOINT=x.y
  PYTHONWARNINGS=ignore::x.Y
  PYTEST_ADDOPTS=-p x
  PERL5OPT=-Mx
  PERL5DB=x
  RUBYOPT=-rx
  JAVA_TOOL_OPTIONS=-javaagent:x.jar
  _JAVA_OPTIONS=-Xmx1g
  MAVEN_OPTS=-Xmx1g -javaagent:x.jar
  DOTNET_STARTUP_HOOKS=x.dll
  CORECLR_PROFILER_PATH=x
  GOFLAGS=-toolexec=x
  RUSTC_WRAPPER=./x
  MAKEFLAGS=--eval=x
  MAKEFILES=x.mk
  GIT_DIR=/x
  GIT_SSH_COMMAND=x
  GIT_EXTERNAL_DIFF=x
  GIT_PAGER=x
  GIT_CONFIG_COUNT=1
  GIT_EXEC_PATH=/x
  GIT_ASKPASS=x
  GIT_TEMPLATE_DIR=x
  LESSOPEN=|x %s
  RIPGREP_CONFIG_PATH=x
  TAR_OPTIONS=--checkpoint-action=exec=x
  PAGER=x
  MANPAGER=x
  DIRENV_DIFF=x
  npm_config_script_shell=./x
  npm_config_node_options=--require=x
  npm_lifecycle_event=test
  BELAY_HOME=/x
  BELAY_FAILPOINT=x
  VSCODE_IPC_HOOK=x
  ELECTRON_RUN_AS_NODE=1
  HTTPS_PROXY=http://user:pa@ss/word@proxy
`)

describe("a variable of the person", () => {
  it("passes, unless it is secret, loads code or is of the session", () => {
    const found = (lines: ReadonlyArray<string>, want: PassedVariables.Verdict["passes"]) =>
      lines.filter((line) => passes(line).passes !== want)
    assert.deepStrictEqual(found(passed, "always"), [])
    assert.deepStrictEqual(found(outsideOnly, "unconfined"), [])
    assert.deepStrictEqual(found(kept, "never"), [])
    for (const line of [...kept, ...outsideOnly]) assert.notStrictEqual(passes(line).why, "", line)
  })

  it("with the address of a proxy passes without the login in it", () => {
    for (const [given, want] of [
      ["http://me:secret@proxy:3128", "http://proxy:3128"],
      ["https://to%40ken@proxy/", "https://proxy/"],
      ["me:secret@proxy:3128", "proxy:3128"],
      ["http://me:a@b@proxy", "http://proxy"]
    ] as const) {
      for (const name of ["HTTPS_PROXY", "http_proxy", "npm_config_https_proxy"]) {
        const { passes: way, value, why } = PassedVariables.judge(name, given)
        assert.deepStrictEqual([way, value, why], ["always", want, "without the login in it"])
      }
    }
  })

  it("follows the user's settings, and block comes before pass", () => {
    const rules = {
      pass: ["GITHUB_TOKEN", "MY_*", "BASH_ENV", "SSH_AUTH_SOCK", "HTTPS_PROXY", "NODE_OPTIONS"],
      block: ["AWS_*", "MY_SECRET"]
    }
    const said = (line: string) => passes(line, rules).passes
    assert.strictEqual(said("GITHUB_TOKEN=x"), "always")
    assert.strictEqual(said("MY_TOKEN=x"), "always")
    assert.strictEqual(said("NODE_OPTIONS=--require x"), "always")
    assert.isUndefined(passes("HTTPS_PROXY=http://me:x@proxy", rules).value)
    assert.strictEqual(said("MY_SECRET=x"), "never")
    assert.strictEqual(said("AWS_REGION=x"), "never")
    // How a command is read is nobody's to change, and the box stays closed.
    assert.strictEqual(said("BASH_ENV=x"), "never")
    assert.strictEqual(said("SSH_AUTH_SOCK=/x"), "unconfined")
    assert.strictEqual(passes("Github_Token=x", rules, true).passes, "always")
  })

  it.skipIf(process.platform === "win32")(
    "that lists folders of code has none of the workspace and no relative one",
    () => {
      const said = (name: string, value: string, more: CommandEnvironment.Scrubbing = {}) =>
        CommandEnvironment.scrub({ [name]: value }, "/ws", more)[name]
      assert.strictEqual(said("PATH", "/ws/.venv/bin::.:bin:/usr/bin"), "/ws/.venv/bin:/usr/bin")
      assert.strictEqual(said("PATH", "/ws/.venv/bin:/usr/bin", { outside: true }), "/usr/bin")
      assert.strictEqual(said("PYTHONPATH", "/ws/src:lib:/opt/py"), "/opt/py")
      assert.isUndefined(said("NODE_PATH", "/ws/lib"))
      assert.strictEqual(said("PYTHONPATH", "src", { rules: { pass: ["PYTHONPATH"], block: [] } }), "src")
      assert.isUndefined(said("SSH_AUTH_SOCK", "/x", { confined: true }))
      assert.strictEqual(said("SSH_AUTH_SOCK", "/x"), "/x")
    }
  )
})
