#!/bin/sh
# Tests of a dispatcher: a program that takes the ids of agents as arguments and the address of the resort from RESORT_URL,
# and prints "assign ID" whenever one of them may get work. It is the one of dispatcher/long_poll.py, or the command in
# DISPATCHER. The resort is a real one. They need curl. Run them in the root of the repository, once it is built, with:
#   dist/resort test --test-controls --frozen --max-stay 1 --fixtures examples/fixtures.json -- sh examples/dispatcher-test.sh
set -eu

DISPATCHER=${DISPATCHER:-python3 $(dirname "$0")/dispatcher/long_poll.py}

# Agents of the fixtures: Ada rests since the start, Bob has left.
ada=00000000-0000-7000-8000-00000000000a
bob=00000000-0000-7000-8000-00000000000b

folder=$(mktemp -d)
dispatcher=
stop() {
	[ -z "$dispatcher" ] || kill "$dispatcher" 2>/dev/null || :
	dispatcher=
}
trap 'stop; rm -r "$folder"' EXIT

# Uses a control of the temporary resort: its path, and a body where there is one.
control() {
	curl -fsS -X POST "$RESORT_URL/test/$1" -H "Content-Type: application/json" -d "${2:-}"
}

# Begins a test: the resort is as it was at the start, and the dispatcher follows both agents.
begin() {
	name=$1
	stop
	control reset >"$folder/reset"
	[ $# -eq 1 ] || control faults "$2" >"$folder/fault"
	: >"$folder/assigned"
	# shellcheck disable=SC2086 # A command and its arguments.
	$DISPATCHER "$ada" "$bob" >"$folder/assigned" 2>"$folder/errors" &
	dispatcher=$!
}

# The names of those that have got work.
assigned() {
	sed "s/assign //; s/$ada/ada/; s/$bob/bob/" "$folder/assigned" | xargs
}

# expect NAMES: waits until these have got work, and nobody else.
expect() {
	for _ in $(seq 60); do
		[ "$(assigned)" = "$1" ] && return
		sleep 0.1
	done
	echo "FAILED: $name: expected '$1', but it was '$(assigned)'" >&2
	exit 1
}

# Cuts the connection over which the dispatcher waits.
cut_connection() {
	for _ in $(seq 60); do
		control streams '{"cut":true}' | grep -q '[1-9]' && return
		sleep 0.1
	done
	echo "FAILED: $name: the dispatcher does not wait for events" >&2
	exit 1
}

begin "a guest gets no work until its stay ends"
expect bob
control clock '{"advanceSeconds":3599}' | grep -q '"guests":1'
expect bob
control clock '{"advanceSeconds":1}' | grep -q '"guests":0'
expect "bob ada"

begin "a connection that is cut is opened again"
expect bob
cut_connection
control clock '{"advanceSeconds":3600}' >"$folder/clock"
expect "bob ada"

begin "after forgotten events the statuses are read anew"
expect bob
control faults '{"operation":"GET /api/events","status":503,"times":0}' >"$folder/fault"
cut_connection
control clock '{"advanceSeconds":3600}' >"$folder/clock"
control events '{"forget":true}' >"$folder/events"
curl -fsS -X DELETE "$RESORT_URL/test/faults" >"$folder/fault"
for _ in $(seq 60); do
	assigned | grep -q ada && break
	sleep 0.1
done
assigned | grep -q ada || expect "bob and ada"

for fault in '"status":500' '"status":502,"body":"<h1>Bad gateway</h1>"' '"status":429,"retryAfterSeconds":1' '"drop":true'; do
	begin "a failure is survived: $fault" "{\"operation\":\"GET /api/agents/status\",$fault}"
	expect bob
	curl -fsS "$RESORT_URL/test/calls?operation=listAgentStatuses" | grep -q '"fault":null.*"fault":"1"'
done

echo "ok: 7 tests passed"
