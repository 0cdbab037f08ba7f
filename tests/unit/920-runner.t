#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The runner takes names for what they are, and slips for slips.
set -euo pipefail

run=$(cd "$(dirname "$0")/.." && pwd)/run
. "$(dirname "$0")/tap.bash"

lists() {
	"$run" --list "$@" 2>/dev/null | wc -l
}

# What it says without booting anything: its status, and the last line.
says() {
	local said status=0
	said=$("$@" 2>&1 >/dev/null </dev/null) || status=$?
	echo "$status ${said##*$'\n'}"
}

is "a test by its number" 1 "$(lists smoke/001)"
is "a test by its condition" 1 "$(lists mq/001~q1)"
is "a long test by its number" 1 "$(lists data/004)"
long=$(cd "$(dirname "$run")/data" && grep -lE '^# long:' -- * | paste -sd'|')
long_conditions=$(cd "$(dirname "$run")/data" && sed -n 's/^# long-conditions: //p' -- * | wc -w)
is "a group is without its long tests" "$(lists data)" \
	"$(("$(lists --full data)" - "$("$run" --list --full data | grep -cE "^data/($long)[~ ]")" - long_conditions))"
is "a long condition by its name" 1 "$(lists data/030~mixed)"
is "all conditions by the number" 3 "$(lists data/030)"
is "a slip among names" "2 tests/run: no test is called 'nosuch'" "$(says "$run" --list nosuch smoke/001)"
is "a condition that there is not" "2 tests/run: no test is called 'mq/001~q9'" "$(says "$run" mq/001~q9)"
is "an empty name" "2 tests/run: no test is called ''" "$(says "$run" '')"
is "an option without its value" "2 tests/run: --instance needs a value" "$(says "$run" --instance)"
is "a pair that there is not" "2 tests/run: a driver is ours or stock, not 'Stock'" "$(says env BACK=Stock "$run" --list)"
is "a transport that there is not" "2 tests/run: TRANSPORT is persistent, map or copy, not 'mapped'" "$(says env TRANSPORT=mapped "$run" --list)"
is "patience that is no number" "2 tests/run: PATIENCE is a number, not 'abc'" "$(says env PATIENCE=abc "$run" --list)"
is "two things at once" "2 tests/run: --list or --boot, not both" "$(says "$run" --list --boot)"
is "a command without a host" "2 tests/run: no host runs; tests/run --boot starts one" "$(says "$run" --instance nosuch --dom0 true)"
is "a slip in one of several transports" "2 tests/run: TRANSPORT is persistent, map or copy, not 'cpy'" \
	"$(says env TRANSPORT="map cpy" "${run%/*}/transports" smoke/001)"
is "without a home" 1 "$(env -u HOME "$run" --list smoke/001 | wc -l)"
is "images that cannot be made end the run at once" "1 0 passed, 2 failed, 0 skipped" \
	"$(said=$(FRONT=stock BACK=stock XENBLK_CACHE=/proc/none "$run" smoke/001 smoke/002 2>/dev/null) || echo "$? ${said##*$'\n'}")"
finish
