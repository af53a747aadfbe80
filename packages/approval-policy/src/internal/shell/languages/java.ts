/** Maven and Gradle. */
import { parseFlags } from "../table/flags.ts"
import type { Findings, Parsed, Spec, Word } from "../table/spec.ts"

const plugins = ({ flags, operands }: Parsed, findings: Findings): void => {
  for (const value of flags.get("-D") ?? []) if (value !== undefined) property(value, findings)
  for (const word of operands) {
    if (word.text?.includes(":") !== false && !knownGoals.test(word.text ?? ""))
      findings.hazard(word.at, "it runs a plugin by its name")
    if (word.text?.startsWith("deploy") === true || word.text?.includes(":deploy") === true) findings.floor("remote")
    findings.target(word, "mention")
  }
}

/** Goals of plugins that Maven itself comes with, and of those that only look. */
const knownGoals =
  /^(?:dependency:(?:tree|analyze|resolve|go-offline|list)|versions:display-(?:dependency|plugin|property)-updates|spotless:(?:check|apply)|checkstyle:check|spotbugs:check|pmd:check|surefire:test|failsafe:(?:integration-test|verify)|compiler:(?:compile|testCompile)|help:effective-pom|jacoco:report|spring-boot:run|quarkus:dev|formatter:(?:format|validate)|fmt:(?:format|check)|test-compile|clean:clean)$/

/** Switches of tests and builds; a property that is not listed may name a program, a repository or a file. */
const properties =
  /^(?:(?:skip|maven\.test\.skip|skipTests|skipITs|skipUnitTests|test|it\.test|groups|excludedGroups|tests|surefire\.[A-Za-z]+|failIfNoTests|failIfNoSpecifiedTests|maven\.javadoc\.skip|checkstyle\.skip|spotless\.check\.skip|spotless\.skip|enforcer\.skip|jacoco\.skip|rat\.skip|pmd\.skip|spotbugs\.skip|dockerfile\.skip|jib\.skip|gpg\.skip|style\.color|trimStackTrace|printSummary|verbose|includes|excludes|parallel|forkCount|threadCount|rerunFailingTestsCount|spring\.profiles\.active|spring-boot\.run\.profiles|quarkus\.profile|java\.version|maven\.compiler\.(?:source|target|release)|file\.encoding|org\.slf4j\.simpleLogger\.defaultLogLevel|kotest\.[a-z.]+|junit\.[a-z.]+|org\.gradle\.(?:parallel|caching|daemon|configureondemand|console|warning\.mode|workers\.max|logging\.level)))(?:=[\w.,*#$!:[\]+-]*)?$/

const property = (value: Word, findings: Findings): void => {
  if (!properties.test(value.text ?? "")) findings.hazard(value.at, "a property may change what runs")
}

/** `-Dname=value` as one word is a flag `-D` with a value. */
const joined = (words: ReadonlyArray<Word>, letters: string): ReadonlyArray<Word> =>
  words.flatMap((word) =>
    word.text !== null && !word.glob && new RegExp(`^-[${letters}].`).test(word.text)
      ? [
          { ...word, text: word.text.slice(0, 2) },
          { ...word, text: word.text.slice(2) }
        ]
      : [word]
  )

export const mvn: Spec = {
  hides: true,
  read: (words, findings) => {
    findings.changes()
    const spec: Spec = {
      hides: true,
      flags:
        "-q -B -e -X -U -o -N -am -amd -fae -ff -fn -nsu -ntp -V -v -D: -P: -pl: -T: -rf: -f< --quiet --batch-mode --errors --debug --update-snapshots --offline --non-recursive --also-make --also-make-dependents --fail-at-end --fail-fast --fail-never --no-snapshot-updates --no-transfer-progress --show-version --version -version --activate-profiles: --projects: --threads: --resume-from: --file< --define: -h --help -c --strict-checksums -C --lax-checksums --color? --raw-streams -itr",
      long: true
    }
    const parsed = parseFlags(joined(words, "DPT"), spec, findings)
    for (const value of parsed.flags.get("--define") ?? []) if (value !== undefined) property(value, findings)
    plugins(parsed, findings)
  }
}

export const gradle: Spec = {
  hides: true,
  read: (words, findings) => {
    findings.changes()
    const spec: Spec = {
      hides: true,
      flags:
        "-q -i -d -w -s -S -m -a -t -u -v -h -D: -P: -p< -b< -x: --quiet --info --debug --warn --stacktrace --full-stacktrace --dry-run --offline --no-daemon --daemon --stop --status --version --help --continue --parallel --no-parallel --build-cache --no-build-cache --configuration-cache --no-configuration-cache --configure-on-demand --rerun-tasks --rerun --refresh-dependencies --exclude-task: --max-workers: --console: --warning-mode: --tests: --test-dry-run --fail-fast --no-rebuild --profile --scan --no-scan --priority: --project-dir< --all --configuration: --dependency: --types --task: --continuous --include-build< --write-locks --no-watch-fs --watch-fs --args: --debug-jvm --info --no-problems-report --non-interactive",
      long: true
    }
    const { flags, operands } = parseFlags(joined(words, "DP"), spec, findings)
    for (const value of [...(flags.get("-D") ?? []), ...(flags.get("-P") ?? [])])
      if (value !== undefined) property(value, findings)
    for (const word of operands) {
      if (/(?:^|:)(?:publish|upload|release)[A-Z]?/.test(word.text ?? "")) findings.floor("remote")
      findings.target(word, "mention")
    }
  }
}
