/**
 * The files that a later ordinary command executes, folded (lower case, NFC): a part of the names of rule `path.protected`.
 *
 * A name is here when something that people and editors do in a folder by habit (install, build, test, lint, format,
 * commit, deploy, enter it, open it) runs the file, or takes from it a program, a script, code to load or a place to get
 * code from; and when the file says how the project is worked on, not what the project is: its sources and tests are run
 * by the same commands, and editing them is the work itself.
 *
 * Kept out, with the reason:
 * - lists that name versions only and run nothing when they are read: lock files, `go.mod`, `tsconfig.json`, `.nvmrc`'s
 *   like are in only where a pattern of a whole class has them;
 * - sources of what is the work: `*.tf`, playbooks, `manage.py`, `*.sh`, `index.html`;
 * - what builds leave in their folders: `cmake_install.cmake`, `*.nuget.g.props`, `build.ninja`.
 *
 * Kept in though they are edited often, because one line in them starts a program at the next install or build:
 * `package.json` and `composer.json` (scripts), `Cargo.toml` (`build`, a dependency with a build script), `pyproject.toml`
 * (`build-backend`, plugins), `requirements.txt` (any address, whose `setup.py` runs), `Gemfile`, `pom.xml`, `*.csproj`,
 * `Dockerfile` and compose files (they mount what they like).
 */

/** Names between blanks and line breaks. */
const list = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

/**
 * Package managers, bundlers, test runners, linters. https://docs.npmjs.com/cli/configuring-npm/package-json#scripts,
 * https://yarnpkg.com/features/pnp, https://pnpm.io/pnpmfile, https://nx.dev/reference/project-configuration,
 * https://developers.cloudflare.com/workers/wrangler/configuration, https://docs.deno.com/runtime/fundamentals/configuration
 */
const javascript = list(`
  package.json package.json5 package.yaml .npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnpmfile.mjs .pnp.cjs .pnp.js
  .pnp.loader.mjs .pnp.data.json pnpm-workspace.yaml bunfig.toml deno.json deno.jsonc import_map.json binding.gyp
  lerna.json nx.json project.json workspace.json turbo.json turbo.jsonc rush.json command-line.json angular.json nodemon.json
  jest.config.json babel.config.json ember-cli-build.js .ember-cli testem.js testem.json truffle.js cypress.json
  wrangler.toml wrangler.json wrangler.jsonc vercel.json now.json netlify.toml firebase.json serverless.yml
  serverless.yaml serverless.json serverless.ts serverless.js samconfig.toml amplify.yml .storybook .simple-git-hooks.json
  simple-git-hooks.json .lintstagedrc biome.json biome.jsonc .size-limit.json
`)

/**
 * https://docs.pytest.org/en/stable/reference/fixtures.html#conftest-py-sharing-fixtures-across-multiple-files,
 * https://packaging.python.org/en/latest/specifications/pyproject-toml, https://docs.python.org/3/library/site.html,
 * https://mypy.readthedocs.io/en/stable/extending_mypy.html, https://flake8.pycqa.org/en/latest/user/configuration.html
 */
const python = list(`
  setup.py setup.cfg pyproject.toml conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini tox.toml .tox .nox
  noxfile.py fabfile.py dodo.py pavement.py sitecustomize.py usercustomize.py mypy.ini .mypy.ini .flake8 pylintrc
  pylintrc.toml .pylintrc.toml pipfile environment.yml environment.yaml pixi.toml poetry.toml uv.toml pdm.toml .pdm.toml
  hatch.toml pip.conf pip.ini snakefile conf.py mkdocs.yml mkdocs.yaml ipython_config.py .venv venv pyvenv.cfg
  .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml .gitlint buildout.cfg
`)

/** https://guides.rubygems.org/specification-reference, https://bundler.io/guides/gemfile.html, https://docs.fastlane.tools */
const ruby = list(`
  gemfile gemfile.local gems.rb rakefile rakefile.rb rakefile.rake config.ru guardfile capfile berksfile thorfile steepfile
  dangerfile appraisals puppetfile brewfile podfile cartfile fastfile appfile matchfile deliverfile gymfile snapfile scanfile
  pluginfile .rspec .rspec-local .rubocop.yml .rubocop.yaml .simplecov .bundle .overcommit.yml _plugins
`)

/** https://getcomposer.org/doc/articles/scripts.md, https://docs.phpunit.de/en/12.0/configuration.html */
const php = list(`
  composer.json phpunit.xml phpunit.xml.dist phpunit.dist.xml .phpunit.xml phpstan.neon phpstan.neon.dist
  phpstan.dist.neon psalm.xml psalm.xml.dist rector.php ecs.php robofile.php castor.php deploy.php artisan grumphp.yml
  captainhook.json codeception.yml behat.yml behat.yml.dist phpspec.yml infection.json infection.json5 .user.ini
`)

/**
 * https://docs.gradle.org/current/userguide/directory_layout.html, https://maven.apache.org/guides/introduction,
 * https://www.scala-sbt.org/1.x/docs/Directories.html, https://bazel.build/concepts/build-files, https://clojure.org/guides/deps_and_cli
 */
const jvm = list(`
  gradlew gradlew.bat gradle.properties buildsrc mvnw mvnw.cmd .mvn pom.xml build.xml ivy.xml .sbtopts .jvmopts build.sc
  .scalafix.conf project.clj deps.edn bb.edn build.clj build.boot shadow-cljs.edn
  build.bazel workspace.bazel workspace.bzlmod module.bazel .bazelrc .bazelversion .buckconfig build.pants pants.toml .plzconfig
`)

/**
 * https://doc.rust-lang.org/cargo/reference/build-scripts.html, https://cmake.org/cmake/help/latest/manual/cmake-language.7.html,
 * https://mesonbuild.com/Syntax.html, https://docs.conan.io/2/reference/conanfile.html, https://ziglang.org/learn/build-system,
 * https://golangci-lint.run/plugins/go-plugins, https://magefile.org
 */
const native = list(`
  build.rs cargo.toml .cargo rust-toolchain rust-toolchain.toml cross.toml bacon.toml trunk.toml tauri.conf.json
  go.work magefile.go .golangci.yml .golangci.yaml .golangci.toml .golangci.json .goreleaser.yml .goreleaser.yaml
  .air.toml air.toml foundry.toml cmakelists.txt cmakepresets.json cmakeuserpresets.json makefile gnumakefile makefile.am
  makefile.in bsdmakefile configure configure.ac configure.in configure.win autogen.sh meson.build meson_options.txt
  meson.options sconstruct sconscript wscript xmake.lua premake4.lua premake5.lua conanfile.py conanfile.txt vcpkg.json
  vcpkg-configuration.json build.zig build.zig.zon tupfile dub.json dub.sdl shard.yml config.nims nim.cfg
`)

/**
 * https://learn.microsoft.com/visualstudio/msbuild/customize-by-directory, https://developer.apple.com/documentation/xcode,
 * https://dart.dev/tools/pub/pubspec, https://docs.swift.org/package-manager
 */
const platforms = list(`
  directory.build.rsp msbuild.rsp nuget.config global.json dotnet-tools.json packages.config paket.dependencies omnisharp.json
  launchsettings.json cake.config package.swift pubspec.yaml pubspec_overrides.yaml analysis_options.yaml
`)

/**
 * https://hexdocs.pm/mix/Mix.html, https://cabal.readthedocs.io, https://dune.readthedocs.io,
 * https://nix.dev/manual/nix/latest/command-ref/nix-shell, https://rstats.wtf/r-startup, https://metacpan.org/pod/ExtUtils::MakeMaker
 */
const others = list(`
  mix.exs rebar.config rebar.config.script setup.hs setup.lhs cabal.project cabal.project.local stack.yaml hie.yaml .ghci
  .ghcid dune dune-project dune-workspace .ocamlinit flake.nix shell.nix default.nix devenv.nix devenv.yaml devbox.json guix.scm
  manifest.scm makefile.pl build.pl cpanfile dist.ini .rprofile .renviron _targets.r startup.jl .busted .luacov
`)

/** Runners of tasks, and what tools run on entering a folder. https://direnv.net, https://mise.jdx.dev, https://taskfile.dev */
const runners = list(`
  justfile .justfile maskfile.md runfile earthfile cakefile psakefile.ps1 build.cake procfile tiltfile
  vagrantfile skaffold.yaml devspace.yaml garden.yml helmfile.yaml okteto.yml dagger.json mprocs.yaml process-compose.yaml
  docker-bake.hcl docker-bake.json ansible.cfg terragrunt.hcl .tflint.hcl .terraform pulumi.yaml .lando.yml .ddev
  .envrc mise.toml mise.local.toml .mise.toml .mise.local.toml .mise .tool-versions .prototools .autoenv .autoenv.zsh
  lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml .lefthook.yml .lefthook.yaml .lefthook .lefthook-local
  hk.pkl .tmuxinator.yml .tmuxp.yaml .hooks .git-hooks
`)

/** Continuous integration and hosting: every service's own file. https://github.com/topics/continuous-integration */
const services = list(`
  .gitlab-ci.yml .gitlab-ci.yaml .circleci .travis.yml appveyor.yml .appveyor.yml .cirrus.yml .cirrus.star .drone.yml .drone.yaml
  .drone.star .drone.jsonnet .buildkite .woodpecker .woodpecker.yml .woodpecker.yaml azure-pipelines.yml azure-pipelines.yaml
  .azure-pipelines .azuredevops bitbucket-pipelines.yml jenkinsfile .gitea .forgejo cloudbuild.yaml cloudbuild.yml
  cloudbuild.json buildspec.yml buildspec.yaml appspec.yml appspec.yaml codemagic.yaml bitrise.yml wercker.yml .semaphore
  .teamcity .tekton .concourse .builds .build.yml .zuul.yaml .zuul.d zuul.yaml .ci .onedev-buildspec.yml .scrutinizer.yml
  .readthedocs.yml .readthedocs.yaml render.yaml fly.toml railway.json railway.toml heroku.yml apprunner.yaml
  .platform.app.yaml action.yml action.yaml .gitpod.yml .gitpod.dockerfile .replit replit.nix .idx .codesandbox
`)

export const executedNames: ReadonlyArray<string> = [
  ...javascript,
  ...python,
  ...ruby,
  ...php,
  ...jvm,
  ...native,
  ...platforms,
  ...others,
  ...runners,
  ...services
]

/** Of one component. */
export const executedPatterns: ReadonlyArray<RegExp> = [
  // Configuration that is code: vite.config.ts, webpack.config.prod.js, webpack.dev.js, karma.conf.js, gunicorn.conf.py.
  /^(?!.*\.(?:test|spec|d)\.).+\.(?:config|conf|workspace)(?:\.[a-z0-9_-]+)*\.(?:[cm]?[jt]sx?|py)$/,
  /^(?:webpack|rollup|vite|vitest|jest|karma)\.(?!(?:test|spec|d)\.)[a-z0-9_.-]+\.[cm]?[jt]s$/,
  /^(?:truffle|gatsby|webpack|metro|wdio|vue|rollup)-config\.[cm]?[jt]s$/,
  /^(?:jest|vitest)[.-]setup\.[cm]?[jt]sx?$/,
  /^(?:gulpfile|gruntfile|jakefile|brocfile|dangerfile)(?:\.babel|\.esm)?\.(?:[cm]?[jt]s|coffee)$/,
  // "Run commands": .eslintrc, .babelrc.json, .mocharc.yml, .prettierrc, .pylintrc, .irbrc, .curlrc, .luarc.json.
  /^\.[a-z0-9_-]+rc(?:\.[a-z0-9]+)?$/,
  // A program whose name begins with a dot is settings: .prettierrc.mjs, .nvim.lua, .php-cs-fixer.php, .formatter.exs.
  /^\.[^.].*\.(?:[cm]?[jt]sx?|py|rb|lua|php|exs|pl|jl|el|hs|sh|bash|zsh|fish|ps1|vim|star|nims|nix)$/,
  /^requirements.*\.(?:txt|in)$/,
  /.\.pth$/,
  /.\.(?:gemspec|rake|gradle|gradle\.kts|init\.gradle|sbt|mill|bzl|cabal|opam|nimble|rockspec|asd|podspec|cake|mk|mak|pro|pri|just)$/,
  /.\.(?:[a-z]{0,4}proj|pbxproj|xcconfig|xcscheme|pkr\.hcl)$/,
  // Not what restoring packages leaves in `obj`.
  /^(?!.*\.nuget\.g\.).+\.(?:props|targets)$/,
  // Not what CMake leaves in the folder of a build.
  /^(?!(?:cmake_(?:install|clean|pch)|ctesttestfile|cpack(?:source)?config|dependinfo|makefile|cmakedirectoryinformation|cmakesystem|cmake[a-z]+compiler)\.cmake$).+\.cmake$/,
  /^makefile\.[a-z0-9_-]+$/,
  /^(?:docker|container)file(?:\..+)?$|\.(?:docker|container)file$/,
  /^(?:docker-)?compose(?:[.-].+)?\.ya?ml$/,
  /^procfile\.[a-z]+$/,
  /^jenkinsfile[.-].+$/,
  /^taskfile(?:\.dist)?\.ya?ml$/
]

/** Components in a row. */
export const executedSequences: ReadonlyArray<ReadonlyArray<string>> = [
  ["gradle", "wrapper"],
  ["gradle", "libs.versions.toml"],
  ["project", "build.properties"],
  ["config", "config.exs"],
  ["config", "dev.exs"],
  ["config", "prod.exs"],
  ["config", "runtime.exs"],
  ["config", "test.exs"],
  ["deps", "build.jl"],
  ["renv", "activate.r"],
  ["hook", "build.dart"],
  ["requirements", "base.txt"],
  ["requirements", "dev.txt"],
  ["requirements", "test.txt"],
  ["requirements", "prod.txt"],
  ["requirements", "production.txt"],
  ["requirements", "local.txt"],
  ["bin", "rails"],
  ["bin", "rake"],
  ["bin", "bundle"],
  ["bin", "setup"],
  ["bin", "dev"],
  ["bin", "spring"],
  ["bin", "console"],
  [".changeset", "config.json"],
  [".config", "nextest.toml"],
  [".gitlab", "ci"],
  [".github", "workflows"],
  [".github", "actions"],
  ["node_modules", ".bin"],
  ["bin", "activate"],
  ["bin", "activate.fish"],
  ["bin", "activate.csh"],
  ["scripts", "activate"],
  ["scripts", "activate.bat"],
  ["scripts", "activate.ps1"]
]

/** A last component as it is written: in other letters these are folders of everyday names. https://bazel.build/concepts/build-files */
export const executedAsWritten: ReadonlySet<string> = new Set(["BUILD", "WORKSPACE", "BUCK", "TARGETS", "PKGBUILD"])
