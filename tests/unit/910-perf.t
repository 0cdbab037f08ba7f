#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The benchmark's arithmetic: what is divided by what, from points with round numbers.
set -euo pipefail

perf=$(cd "$(dirname "$0")/../perf" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/tap.bash"

# point SIDE QUEUES ROUND IOPS
point() {
	echo "{\"side\":\"$1\",\"queues\":$2,\"job\":\"job\",\"round\":$3,\"fio\":{\"iops\":$4,\"median\":null,\"p99\":null},\"events\":null}"
}

value() {
	jq -r ".[] | select(.side == \"$1\" and .queues == $2) | .$3 | if type == \"number\" then . * 1000 | round / 1000 else . end" "$dir/points.json"
}

# 10000 instructions per I/O raw; 30000 and 50000 by the stock pair, 20000 by ours.
{
	point raw 0 1 100000
	point stock-persistent 1 1 33333.333333333
	point stock-mapped 1 1 20000
	point ours-mapped 1 1 50000
	point ours-mapped 1 2 40000
	point ours-mapped 2 1 50000
	point ours-mapped,back.poll_us=0 1 1 50000
} >"$dir/points.jsonl"
"$perf/report" "$dir" >"$dir/table" 2>/dev/null
is "overhead is beyond raw" 20000 "$(value stock-persistent 1 overhead)"
is "rounds are averaged by their cost" 22500 "$(value ours-mapped 1 instructions)"
is "how far rounds lie apart" 0.25 "$(value ours-mapped 1 spread)"
is "ratio to the better of the stock transports" 0.625 "$(value ours-mapped 1 ratio)"
is "ratio to the same transport" 0.313 "$(value ours-mapped 1 same_ratio)"
is "no ratio without the stock pair" null "$(value ours-mapped 2 ratio)"
is "ratio of a side with a parameter, to the same transport" 0.25 "$(value ours-mapped,back.poll_us=0 1 same_ratio)"
is "a row for each point" 7 "$(wc -l <"$dir/table")"
is "the page stands alone" 0 "$(grep -cE "(src|href)=['\"][^#]" "$dir/report.html")"

per_io=$(printf '%s\n' "ios 200 0" "map 4 400" "unmap 2 400" "copy 0 0" "notify 10 0" "guest_notify 6 0" "interrupts 8 0" "switches 20 0" |
	jq -Rsc -f "$perf/events.jq")
is "grant operations of both kinds" 4 "$(jq .grant_ops <<<"$per_io")"
is "sends of both domains" 0.08 "$(jq .sends <<<"$per_io")"
is "map calls" 0.02 "$(jq .map_calls <<<"$per_io")"
finish
