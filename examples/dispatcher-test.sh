#!/bin/sh
# The tests of a dispatcher, which gives work to agents that are not resting. The resort is a real one. They need
# curl 7.84. Run them in the repository's root, once it is built, with:
#   dist/resort test --test-controls --frozen --max-stay 1 --fixtures examples/fixtures.json -- sh examples/dispatcher-test.sh
set -eu

# Agents of the fixtures: Ada rests since the start, Bob has left.
ada=00000000-0000-7000-8000-00000000000a
bob=00000000-0000-7000-8000-00000000000b

# The dispatcher: prints those of the agents $1, ids with commas between, that are available.
available() {
	ask "/api/agents/status?ids=$1" |
		grep -o '"status":"available","agent":{"id":"[^"]*' | cut -d '"' -f 10
}

# Asks again when the resort is busy, in trouble or gone, and gives up when it is slow.
ask() {
	for _ in 1 2 3; do
		lost=0
		told=$(curl -s --max-time 1 -w '\n%{http_code} %header{retry-after}' "$RESORT_URL$1") || lost=$?
		last=$(printf '%s' "$told" | tail -n 1)
		case "$lost $last" in
		"0 200 "*) printf '%s\n' "$told" | head -n 1 && return ;;
		"28 "*) echo "the resort is slow" >&2 && return 1 ;;
		"0 429 "* | "0 5"*) sleep "${last#* }" 2>/dev/null || : ;;
		"0 "*) break ;;
		esac
	done
	echo "the resort answers ${last%% *}" >&2
	return 1
}

# Uses a control of the temporary resort: its path, and a body where there is one.
control() {
	curl -fsS -X POST "$RESORT_URL/test/$1" -H "Content-Type: application/json" -d "${2:-}" >/dev/null
}

fault() {
	control faults "{\"operation\":\"listAgentStatuses\",$1}"
}

# The statuses that the dispatcher was answered, newest first.
asked() {
	curl -fsS "$RESORT_URL/test/calls" | grep -o '"status":[0-9nul]*' | cut -d : -f 2 | xargs
}

# expect WHAT IS: ends the tests when they differ.
expect() {
	[ "$2" = "$1" ] && return
	echo "FAILED: $name: expected '$1', but it was '$2'" >&2
	exit 1
}

# Begins a test, with everything as it was at the start.
begin() {
	name=$1
	control reset
}

begin "a guest gets no work until its stay ends"
expect "$bob" "$(available "$ada,$bob")"
control clock '{"advanceSeconds":3599}'
expect "$bob" "$(available "$ada,$bob")"
control clock '{"advanceSeconds":1}'
expect "$ada $bob" "$(available "$ada,$bob" | xargs)"

begin "one call asks for a hundred agents"
others=$(awk 'BEGIN { while (at < 98) printf ",00000000-0000-7000-8000-%012d", at++ }')
expect "$bob" "$(available "$ada,$bob$others")"
expect "200" "$(asked)"

begin "a failure is tried again"
fault '"status":500,"times":2'
expect "$bob" "$(available "$bob")"
expect "200 500 500" "$(asked)"

begin "a failure that lasts is told"
fault '"status":500,"times":0'
expect "the resort answers 500" "$(available "$bob" 2>&1)"
expect "500 500 500" "$(asked)"

begin "a limit is waited for, as long as Retry-After says"
fault '"status":429,"retryAfterSeconds":2'
started=$(date +%s)
expect "$bob" "$(available "$bob")"
[ $(($(date +%s) - started)) -ge 2 ] || expect "a pause of 2 s" "none"

begin "a slow answer is given up"
fault '"delayMs":3000,"times":0'
expect "the resort is slow" "$(available "$bob" 2>&1)"

begin "a lost connection is noticed, and tried again"
fault '"drop":true'
expect "$bob" "$(available "$bob")"
expect "200 null" "$(asked)"

echo "ok: 7 tests passed"
