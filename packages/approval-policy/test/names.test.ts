import { assert, describe, it } from "@effect/vitest"
import { Approvals, ApprovalPolicy, ProtectedPath } from "@belay/approval-policy"
import * as fixtures from "./fixtures.ts"

const names = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const executed: Readonly<Record<string, string>> = {
  JavaScript: `.pnp.cjs .pnp.loader.mjs gulpfile.js Gulpfile.babel.js Gruntfile.coffee .eslintrc .eslintrc.js .eslintrc.json
    .babelrc .prettierrc.yaml .mocharc.cjs .lintstagedrc .nycrc.json .stylelintrc.mjs eslint.config.mjs vite.config.ts
    vitest.config.mts jest.config.js jest.config.json babel.config.cjs babel.config.json webpack.config.js webpack.prod.js rollup.config.js
    next.config.ts playwright.config.ts cypress.config.js tailwind.config.cjs postcss.config.mjs metro.config.js
    karma.conf.js wdio.conf.ts vitest.workspace.ts jest.setup.ts truffle-config.js .size-limit.cjs .pnpmfile.cjs
    lerna.json nx.json apps/a/project.json turbo.json rush.json angular.json nodemon.json wrangler.toml netlify.toml
    firebase.json serverless.yml .storybook/main.ts binding.gyp webpack.config.babel.js package.json5`,
  Python: `conftest.py tests/conftest.py setup.py setup.cfg pyproject.toml tox.ini noxfile.py pytest.ini fabfile.py dodo.py
    lib/site-packages/x.pth mypy.ini .flake8 .pylintrc .coveragerc requirements.txt requirements-dev.in requirements/dev.txt
    Pipfile environment.yml gunicorn.conf.py docs/conf.py mkdocs.yml Snakefile pip.conf`,
  Ruby: `Gemfile gems.rb a.gemspec Rakefile lib/tasks/x.rake config.ru .irbrc .pryrc .rspec .rubocop.yml Guardfile Capfile
    Podfile fastlane/Fastfile bin/rails .bundle/config`,
  PHP: `composer.json phpunit.xml phpunit.xml.dist phpstan.neon .php-cs-fixer.dist.php rector.php artisan .user.ini`,
  "Java, Kotlin, Scala, Clojure": `build.gradle build.gradle.kts settings.gradle.kts init.gradle gradle/x.gradle gradle.properties
    gradle/wrapper/gradle-wrapper.properties gradle/libs.versions.toml buildSrc/src/main/kotlin/A.kt pom.xml .mvn/jvm.config
    build.xml build.sbt project/plugins.sbt project/build.properties build.sc project.clj deps.edn BUILD WORKSPACE
    BUILD.bazel MODULE.bazel tools/x.bzl .bazelrc BUCK`,
  "C and C++": `CMakeLists.txt cmake/Find.cmake CMakePresets.json toolchain.cmake configure configure.ac Makefile.am x.mk
    meson.build SConstruct wscript conanfile.py xmake.lua`,
  "Rust, Go, Zig, Nim, D": `build.rs Cargo.toml .cargo/config.toml rust-toolchain.toml go.work magefile.go .golangci.yml .air.toml
    build.zig a.nimble config.nims dub.json`,
  ".NET, Apple, Dart": `src/A/A.csproj A.fsproj A.vcxproj Directory.Build.props Directory.Build.targets eng/Common.props nuget.config
    global.json build.cake A.xcodeproj/project.pbxproj Package.swift pubspec.yaml Properties/launchSettings.json`,
  "Elixir, Haskell, OCaml, Nix, R, Perl, Lisp": `mix.exs .formatter.exs .iex.exs config/runtime.exs rebar.config Setup.hs a.cabal
    stack.yaml hie.yaml .ghci dune a.opam flake.nix shell.nix default.nix .Rprofile Makefile.PL cpanfile a.rockspec .luacheckrc`,
  "runners and containers": `Dockerfile Dockerfile.dev a.dockerfile docker-compose.yml compose.override.yaml Containerfile Vagrantfile
    Tiltfile Procfile Procfile.dev skaffold.yaml Earthfile Taskfile.dist.yml .envrc .mise.toml lefthook.yml ansible.cfg
    terragrunt.hcl .terraform/providers/x`,
  "services of integration": `.cirrus.yml appveyor.yml Jenkinsfile.release cloudbuild.yaml buildspec.yml .woodpecker.yaml .semaphore/a.yml
    azure-pipelines.yaml .gitlab/ci/a.yml action.yml .ci/run .readthedocs.yaml`,
  "editors, shells, version control": `.vimrc .exrc .nvim.lua .lvimrc .dir-locals.el .emacs a.sublime-project .vs/tasks.vs.json
    .run/a.run.xml .hg/hgrc .gitconfig-work .svn/x .bash_functions .local/bin/git .config/go/env .config/nvim/init.lua`
}

const ordinary = names(`
  src/a.ts src/config.ts src/config/index.js src/build.ts build/a.js dist/workspace/a.js targets/a.rs lib/setup.ts
  tests/test_a.py tests/a.test.ts app/models.py main.go go.mod go.sum package-lock.json pnpm-lock.yaml Cargo.lock poetry.lock
  tsconfig.json .gitignore .editorconfig README.md docs/build.md a.c a.h a.cpp main.tf variables.tf index.html style.css
  build/cmake_install.cmake build/CTestTestfile.cmake obj/A.csproj.nuget.g.props src/Main.java src/lib.rs src/main.rs
  app.rb a.php composer.lock Gemfile.lock scripts/run.sh profile.ts file.js app.config.spec.ts reconfigure.ts config.json data.json schema.sql
  .dockerignore .gitkeep .nojekyll .clang-format src/rc.ts src/makefiles.ts k8s/deployment.yaml values.yaml settings.py manage.py
`)

const secret = names(`
  terraform.tfvars prod.auto.tfvars terraform.tfvars.json auth.json a.tfstate terraform.tfstate.backup terraform.tfstate.1700.backup
  .databrickscfg .snowsql/config .dbt/profiles.yml profiles.yml .pgpass .npmrc .yarnrc.yml .m2/settings.xml
  .gradle/gradle.properties .nuget/nuget.config local.settings.json appsettings.Production.json db-credentials.yml
  aws_secrets.toml k8s/app-secret.yaml secrets.yaml wp-config.php .streamlit/secrets.toml config/master.key
  config/credentials/production.key .cache/huggingface/token .kaggle/kaggle.json .config/github-copilot/hosts.json
  .config/gcloud/credentials.db .config/doctl/config.yaml .oci/config .dev.vars .dev.vars.production .authinfo
  .codex/auth.json .gemini/oauth_creds.json serviceAccount.json service_account_prod.json x-firebase-adminsdk-1.json
  passwords.txt api-keys.json access_token.json .redis_history .viminfo cookies.txt sftp.json ngrok.yml home.ovpn prod.kubeconfig
  kubeconfig.prod clouds.yaml admin-openrc.sh keystore.properties .sentryclirc .continue/config.json sops/age/keys.txt
`)

const readable = names(`
  .env.example .env.sample terraform.tfvars.example auth.json.dist secrets.example.yaml credentials.sample.json
  config/credentials.yml.enc appsettings.json appsettings.Development.json config.yml database.yml settings.py
  gradle.properties token.ts src/auth.ts secrets.ts credentials.go tokens.json keys.ts password.ts history.ts .github/x.md id_rsa.pub
`)

const paths = (text: string) => names(text)

describe("names", () => {
  for (const [kind, text] of Object.entries(executed)) {
    it(`what a later command executes asks before an edit that is allowed: ${kind}`, () => {
      for (const name of paths(text)) {
        const fact = fixtures.file(name, "write", { kind: "absent", links: 0 })
        const { decision, rule } = ApprovalPolicy.decide(fixtures.edit(fact, { approvals: Approvals.all }))
        assert.strictEqual(decision, "ask", name)
        assert.include(["path.protected", "path.secret"], rule, name)
      }
    })
  }

  it("what holds credentials asks before it is read", () => {
    for (const name of secret) {
      const { decision, rule } = ApprovalPolicy.decide(
        fixtures.read(fixtures.file(name, "read"), { approvals: Approvals.all })
      )
      assert.deepStrictEqual([name, decision, rule], [name, "ask", "path.secret"])
    }
  })

  it("sources, tests and what builds leave are edited, and templates read, without asking", () => {
    for (const name of ordinary) assert.strictEqual(ProtectedPath.match(`/ws/proj/${name}`, "write"), undefined, name)
    for (const name of readable) assert.strictEqual(ProtectedPath.match(`/ws/proj/${name}`, "read"), undefined, name)
  })

  it("a query's words are no files that hold credentials", () => {
    const approvals = fixtures.listing("jq", "grep")
    for (const text of ["jq .token a.json", "jq .secrets a.json", "grep -n api_key src/a.ts"]) {
      assert.strictEqual(ApprovalPolicy.decide(fixtures.command(text, { approvals })).decision, "allow", text)
    }
  })

  it("a command that writes what a later one executes asks", () => {
    const approvals = { ...fixtures.listing("cp"), edit: "allow" as const }
    for (const text of ["cp a.txt conftest.py", "echo x > CMakeLists.txt", "cp a.txt tools/BUILD"]) {
      const { decision, rule } = ApprovalPolicy.decide(fixtures.command(text, { approvals }))
      assert.deepStrictEqual([text, decision, rule], [text, "ask", "path.protected"])
    }
  })

  it("a folder of git's hooks is protected wherever it lies", () => {
    const fact = fixtures.file("tools/checks/pre-commit", "write", { kind: "absent", links: 0 })
    const call = fixtures.edit(fact, { approvals: Approvals.all, gitFolders: ["/ws/proj/tools/checks"] })
    assert.deepInclude(ApprovalPolicy.decide(call), { decision: "ask", rule: "path.protected" })
  })
})
