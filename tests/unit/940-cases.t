#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The list of cases and the headers of the tests say the same: each case has a test that
# names it, or a reason why there is none.
set -euo pipefail

dir=$(cd "$(dirname "$0")/.." && pwd)
. "$(dirname "$0")/tap.bash"
declare -A listed=() reason=()

# Rows "| CASE | what happened | tests |", the tests by commas, or "none: reason".
while IFS='|' read -r _ id _ guards _; do
	id=${id// /}
	[[ $id =~ ^[A-Z]+-[0-9]+$ ]] || continue
	is "$id is listed once" "" "${listed[$id]:-}${reason[$id]:-}"
	if [[ $guards == *none:* ]]; then reason[$id]=${guards#*none: }; else listed[$id]=${guards//,/ }; fi
done <"$dir/CASES.md"

# Prints the cases that the header of a test names.
cases_of() {
	sed -n "/^[^#]/q; s/^# Guards: //p" "$1" | grep -oE '\b[A-Z]+-[0-9]+\b' | sort -u
}

for id in "${!listed[@]}"; do
	for name in ${listed[$id]}; do
		file=$dir/${name%~*}
		is "$id: $name is a test that names it" 1 "$([[ -x $file ]] && cases_of "$file" | grep -cx "$id")"
	done
	is "$id has a test" 1 "$([[ ${listed[$id]// /} ]] && echo 1)"
done
for id in "${!reason[@]}"; do
	is "$id: the reason says something" 1 "$((${#reason[$id]} > 20))"
done
while read -r file; do
	name=${file#"$dir"/}
	for id in $(cases_of "$file"); do
		[[ $id != XSA-* ]] || continue
		is "$name, which names $id, is listed there" 1 "$(grep -cE "(^| )$name(~[a-z-]+)?( |$)" <<<"${listed[$id]:-}")"
	done
done < <(find "$dir" -path '*/[0-9][0-9][0-9]' -type f | sort)
is "cases listed" 88 $((${#listed[@]} + ${#reason[@]}))
finish
