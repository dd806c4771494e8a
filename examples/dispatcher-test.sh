#!/bin/sh
# A dispatcher gives work to an agent only when it is not resting. Run it with:
#   resort test -- sh examples/dispatcher-test.sh
set -eu

assigned=""

# The dispatcher: assigns task $1 to agent $2 when the agent is available.
assign() {
	answer=$(curl -fsS "$RESORT_URL/api/agents/$2/status")
	if [ "$(field status "$answer")" = available ]; then
		assigned="$assigned $1"
	fi
}

# The first text named $1 in the JSON $2.
field() {
	echo "$2" | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}

post() {
	path=$1
	shift
	curl -fsS -X POST "$RESORT_URL$path" -H "Content-Type: application/json" "$@"
}

expect_assigned() {
	if [ "$assigned" != "$1" ]; then
		echo "expected '$1' to be assigned, but it was '$assigned'" >&2
		exit 1
	fi
}

ada=$(post /api/agents -d '{"name":"Ada"}')
id=$(field id "$ada")
key=$(field apiKey "$ada")
assign first "$id"
expect_assigned " first"

post /api/checkin -H "Authorization: Bearer $key" >/dev/null
assign second "$id"
expect_assigned " first"

post /api/checkout -H "Authorization: Bearer $key" >/dev/null
assign third "$id"
expect_assigned " first third"

echo "ok: an agent that relaxes is given no work"
