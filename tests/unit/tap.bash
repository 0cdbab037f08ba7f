# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Points of a unit test in bash: source it, call is(), and end with finish.
tests=0 failures=0

# is NAME WANTED GOT
is() {
	tests=$((tests + 1))
	if [[ $2 == "$3" ]]; then
		echo "ok $tests - $1"
	else
		echo "not ok $tests - $1: wanted '$2', got '$3'"
		failures=$((failures + 1))
	fi
}

finish() {
	echo "1..$tests"
	((failures == 0))
}
