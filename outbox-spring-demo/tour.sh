#!/usr/bin/env bash
# Walks through the demo by its REST interface: publish, failure, retry, dead letter, replay. Usage: tour.sh [base URL]
set -euo pipefail

BASE=${1:-http://localhost:8080}

command -v curl >/dev/null || { echo "error: curl was not found on the PATH; install it: the tour sends its requests by it" >&2; exit 2; }

say() { printf '\n# %s\n' "$*"; }
get() { curl -fsS "$BASE$1"; }
post() { curl -fsS -X POST -H 'Content-Type: application/json' -d "${2:-}" "$BASE$1"; }
field() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/"; }

# until_shows PATH TEXT: asks until the answer contains the text, for half a minute at the most
until_shows() {
  local answer
  for _ in $(seq 150); do
    answer=$(get "$1")
    case $answer in *"$2"*) printf 'GET %s\n%s\n' "$1" "$answer"; return ;; esac
    sleep 0.2
  done
  printf 'GET %s still answers %s\n' "$1" "$answer" >&2
  exit 1
}

place() {
  local body="{\"customer\":\"ann\",\"item\":\"$1\",\"cents\":1995}"
  printf 'POST /orders %s\n' "$body"
  ORDER=$(post /orders "$body")
  echo "$ORDER"
}

say "An order and its event are stored in one transaction; the listener pays right after the commit."
place book
until_shows "/orders/$(field id <<<"$ORDER")" '"paid":true'

say "The payment provider fails twice: the event is tried again, and then done."
place flaky
until_shows "/events/$(field eventId <<<"$ORDER")" '"status":"DONE"'

say "It fails for good: after four deliveries the event is a dead letter."
place broken
EVENT=$(field eventId <<<"$ORDER")
until_shows "/events/$EVENT" '"status":"DEAD"'

say "The provider is repaired and the dead letter replayed."
printf 'POST /provider/repair\nPOST /dead-letters/%s/replay\n' "$EVENT"
post /provider/repair
post "/dead-letters/$EVENT/replay"
until_shows "/orders/$(field id <<<"$ORDER")" '"paid":true'

say "What the metrics say."
get /actuator/prometheus | grep -E '^outbox_(dispatched_total|handler_duration_seconds_count)' | grep -vE ' 0(\.0)?$'

say "Health, and the description of the interface."
printf 'GET /actuator/health\n%s\n' "$(get /actuator/health)"
API=$(get /v3/api-docs)
printf 'GET /v3/api-docs\nOpenAPI %s of "%s"; to try it in a browser: %s/swagger-ui.html\n' \
  "$(field openapi <<<"$API")" "$(field title <<<"$API")" "$BASE"
