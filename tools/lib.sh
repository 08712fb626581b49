# Shared by the commands in the root of this project; sourced, not run.

set -euo pipefail

readonly MIN_JDK=17
readonly MIN_MAVEN=3.8
readonly ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly LOGS=$ROOT/target/logs
readonly HEARTBEAT_SECONDS=30

STARTED=$SECONDS
# The tree that Maven works on: a command may set it to a copy.
TREE=$ROOT
HEARTBEAT_PID=

say() { printf '[%4ds] %s\n' "$((SECONDS - STARTED))" "$*"; }

die() {
  printf 'error: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
  exit 2
}

# require_java: finds a JDK as Maven does (JAVA_HOME, then the PATH), and makes both use the same one.
require_java() {
  local java found settings version home
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java found="JAVA_HOME ($JAVA_HOME)"
    [ -x "$java" ] || die "$found has no bin/java." "Set JAVA_HOME to a JDK $MIN_JDK or newer, or unset it to use the java of the PATH."
  else
    java=$(command -v java) || die "java was not found: JAVA_HOME is not set and the PATH has none." \
      "Install a JDK $MIN_JDK or newer, then put it on the PATH or set JAVA_HOME to it."
    found="java on the PATH ($java)"
  fi
  settings=$("$java" -XshowSettings:properties -version 2>&1) || die "$found does not start:" "$settings"
  version=$(sed -n 's/^ *java\.specification\.version = //p' <<<"$settings")
  home=$(sed -n 's/^ *java\.home = //p' <<<"$settings")
  at_least "${version:-0}" "$MIN_JDK" || die "$found is version ${version:-unknown}; this project needs a JDK $MIN_JDK or newer." \
    "Install one, then put it on the PATH or set JAVA_HOME to it."
  [ -x "$home/bin/javac" ] || die "$found is a run-time environment without a compiler ($home has no bin/javac)." \
    "Install the JDK package, version $MIN_JDK or newer, or set JAVA_HOME to a JDK."
  export JAVA_HOME=$home
  JAVA=$home/bin/java JAVA_VERSION=$version
}

require_maven() {
  local mvn output version
  mvn=$(command -v mvn) || die "mvn was not found on the PATH." "Install Maven $MIN_MAVEN or newer and put its bin directory on the PATH."
  output=$("$mvn" -B -v 2>&1) || die "mvn ($mvn) does not start:" "$output"
  version=$(sed -E -n 's/.*Apache Maven ([0-9][0-9.]*).*/\1/p' <<<"$output" | head -n 1)
  at_least "${version:-0}" "$MIN_MAVEN" || die "mvn ($mvn) is version ${version:-unknown}; this project needs Maven $MIN_MAVEN or newer." \
    "Install one and put its bin directory first on the PATH."
  MVN=$mvn MAVEN_VERSION=$version
}

# at_least VERSION MINIMUM
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

require_toolchain() {
  require_java
  require_maven
}

# run_logged NAME COMMAND...: keeps the whole output in a log; shows where it ended if the command fails.
run_logged() {
  local name=$1 log=$LOGS/$1.log status=0
  shift
  mkdir -p "$LOGS"
  start_heartbeat "$name" "$log"
  "$@" >"$log" 2>&1 || status=$?
  stop_heartbeat
  [ "$status" -eq 0 ] || show_end_of "$log"
  return "$status"
}

show_end_of() {
  printf -- '---- the end of %s\n' "${1#"$ROOT"/}"
  tail -n 60 "$1"
  printf -- '----\n'
}

start_heartbeat() {
  local owner=$BASHPID
  (while sleep "$HEARTBEAT_SECONDS" >/dev/null 2>&1 && kill -0 "$owner"; do say "  still at $1; log: ${2#"$ROOT"/}"; done) &
  HEARTBEAT_PID=$!
}

stop_heartbeat() {
  [ -z "$HEARTBEAT_PID" ] || kill "$HEARTBEAT_PID" 2>/dev/null || true
  [ -z "$HEARTBEAT_PID" ] || wait "$HEARTBEAT_PID" 2>/dev/null || true
  HEARTBEAT_PID=
}

# maven ARGS...: in the tree, with the profile of OUTBOX_PROFILE if there is one.
maven() { (cd "$TREE" && "$MVN" -B -ntp -Dstyle.color=never ${OUTBOX_PROFILE:+-P "$OUTBOX_PROFILE"} "$@"); }

# prepare_main MODULE...: builds those modules whose last build is older than a source; CLASSPATH_FILE names what to run.
prepare_main() {
  local module missing=()
  require_java
  for module in "$@"; do
    CLASSPATH_FILE=$ROOT/$module/target/run.classpath
    built "$CLASSPATH_FILE" || { rm -f "$CLASSPATH_FILE"; missing+=("$module"); }
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  require_maven
  say "building ${missing[*]} with JDK $JAVA_VERSION and Maven $MAVEN_VERSION (a first build also downloads the dependencies)"
  run_logged "build-${missing[0]}" maven -q -pl "$(IFS=,; echo "${missing[*]}")" -am -DskipTests package \
    dependency:build-classpath -Dmdep.outputFile=target/dependencies.classpath -DincludeScope=runtime
  for module in "${missing[@]}"; do
    printf '%s:%s\n' "$ROOT/$module/target/classes" "$(cat "$ROOT/$module/target/dependencies.classpath")" \
      >"$ROOT/$module/target/run.classpath"
  done
}

# run_main MODULE CLASS ARGS...: becomes the program, so that whoever stops this process stops that one.
run_main() {
  local module=$1 main=$2
  shift 2
  prepare_main "$module"
  say "running $main${*:+ $*}"
  cd "$ROOT"
  exec "$JAVA" -cp "$(cat "$CLASSPATH_FILE")" "$main" "$@"
}

# build_tests MODULE...: the modules with their tests, and JUnit's launcher, for programs that run tests themselves.
build_tests() {
  local modules
  modules=$(IFS=,; echo "$*")
  require_toolchain
  say "building $modules and the tests"
  run_logged "build-tests" maven -q -pl "$modules" -am -DskipTests package \
    dependency:build-classpath -Dmdep.outputFile=target/test.classpath -DincludeScope=test
  run_logged "build-launcher" maven -q -pl "$1" dependency:copy \
    "-Dartifact=org.junit.platform:junit-platform-launcher:$(junit_version)" "-DoutputDirectory=$TREE/target"
}

# test_classpath MODULE...: what build_tests built.
test_classpath() {
  local module
  for module in "$@"; do
    printf '%s:' "$TREE/$module/target/test-classes" "$TREE/$module/target/classes" "$(cat "$TREE/$module/target/test.classpath")"
  done
  printf '%s\n' "$TREE/target/junit-platform-launcher-$(junit_version).jar"
}

# class_of MODULE CLASS: the full name of a test class that build_tests built.
class_of() {
  local file
  file=$(cd "$TREE/$1/target/test-classes" && find . -name "${2##*.}.class" -print -quit)
  [ -n "$file" ] || die "there is no test '$2' in $1."
  file=${file#./}
  file=${file%.class}
  echo "${file//\//.}"
}

junit_version() { sed -n 's|.*<junit.version>\(.*\)</junit.version>.*|\1|p' "$ROOT/pom.xml"; }

# published: the modules that are published, which the BOM names, one in each line.
published() { sed -n '/<dependencyManagement>/,/<\/dependencyManagement>/s|.*<artifactId>\(.*\)</artifactId>.*|\1|p' "$ROOT/outbox-bom/pom.xml"; }

# help_of SOURCE: the text block HELP of a Java source, which describes the options of a program.
help_of() { sed -n '/ HELP =$/,/""";$/{/ HELP =$/d; /"""/d; s/^      //; p}' "$1"; }

# require_known SOURCE ARGS...: refuses what the HELP of this source does not list, before anything is built.
require_known() {
  local help known argument value=
  help=$(help_of "$1")
  known=" -h --help $(grep -oE -- '--[a-z0-9-]+' <<<"$help" | tr '\n' ' ')"
  shift
  for argument in "$@"; do
    if [ -n "$value" ]; then value=; continue; fi
    [[ $known == *" $argument "* ]] || die "unknown option '$argument'." "Run './${0##*/} --help'."
    ! grep -qE -- "^ *$argument [A-Z]" <<<"$help" || value=$argument
  done
  [ -z "$value" ] || die "$value needs a value." "Run './${0##*/} --help'."
}

# built FILE: the class path in it is whole, and no source is newer. A deleted source shows in its directory's time.
built() {
  local entry entries
  [ -f "$1" ] || return 1
  IFS=: read -r -a entries <"$1"
  for entry in "${entries[@]}"; do [ -e "$entry" ] || return 1; done
  [ -z "$(find "$ROOT"/pom.xml "$ROOT"/*/pom.xml "$ROOT"/*/src/main -newer "$1" -print -quit)" ]
}
