# From lines "NAME CALLS SUM", one of them fio's I/Os, to what each I/O costs.
split("\n") | map(select(length > 0) | split(" ") | { key: .[0], value: { calls: (.[1] | tonumber), sum: (.[2] | tonumber) } })
| from_entries | .ios.calls as $ios
| {
	map_calls: (.map.calls / $ios),
	unmap_calls: (.unmap.calls / $ios),
	copy_calls: (.copy.calls / $ios),
	grant_ops: ((.map.sum + .unmap.sum + .copy.sum) / $ios),
	sends: ((.notify.calls + (.guest_notify.calls // 0)) / $ios),
	interrupts: (.interrupts.calls / $ios),
	switches: (.switches.calls / $ios)
}
