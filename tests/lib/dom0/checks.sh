# shellcheck shell=bash
# Before and after a test: what the kernels logged, and what was left behind.

console_dir=/var/log/xen/console
# What no test may cause, in dom0 or a guest, unless it says that it expects it.
bad_messages='BUG:|BUG at|WARNING:|Oops|general protection|Call Trace|INFO: task .* blocked|rcu:? .*(stall|starved)'
bad_messages+='|scheduling while atomic|possible (circular|recursive) locking|suspicious RCU|inconsistent lock state'
bad_messages+='|I/O error|still in use|g\.e\. 0x|cannot create duplicate|Kernel panic|UBSAN|KASAN|refcount_t:'
bad_messages+='|list_(add|del) corruption|soft lockup|page allocation failure|unable to handle|vfree|[Bb]ad page state'
# And what the hypervisor says about grants and events.
bad_hypervisor='grant_table\.c|event_channel\.c|Bad grant|bad ref|crashed'

console_sizes() {
	find "$console_dir" -name 'guest-*.log' -printf '%f %s\n' | sort
}

mark_logs() {
	marker="xenblk-test: begin $1 $RANDOM"
	echo "$marker" >/dev/kmsg
	console_sizes >"$run_dir/consoles"
	xl dmesg -c >/dev/null
	rm -f "$OUT"/{reason,dirty,expected-messages}
}

kernel_threads() {
	ps --ppid 2 -o comm= | grep -Ev '^(kworker|ksoftirqd|cpuhp|migration|idle_inject|irq/)' | sort
}

module_uses() {
	lsmod | awk '/^xen_blk(back|front) / { print $1, $3 } /^(null_blk|scsi_debug|loop) / && $3 { print $1, $3 }'
}

vbd_nodes() {
	xenstore-ls -f 2>/dev/null | grep -E '^/local/domain/[0-9]+/(device|backend)/vbd/[^ ]*/state '
}

# Grants in use, by domain: the hypervisor prints one line for each.
mapped_grants() {
	xl debug-keys g
	xl dmesg -c | awk '/grant-table for remote d/ { domain = $0; sub(/.*remote /, "", domain); sub(/[^d0-9].*/, "", domain) }
		/^\(XEN\) \[0x/ { count[domain]++ } END { for (d in count) print d, count[d] }' | sort
}

guests_state() {
	local guest
	for guest in $(xl list | awk 'NR > 1 && $1 != "Domain-0" { print $1 }'); do
		[[ -f $run_dir/$guest.kind ]] || echo "$guest is not of the pool"
		timeout 30 agent run-vchan "$(xl domid "$guest")" "$run_dir" \
			"lsmod | grep '^xen_blkfront'; ls /dev | grep '^xvd'; ps | grep -c '[f]io '" 2>&1 | sed "s/^/$guest: /"
	done
}

# One section for each kind of thing; pool guests may come and go.
snapshot() {
	hypervisor_log=$(xl dmesg -c)
	section threads kernel_threads
	section modules module_uses
	section loops losetup --list --noheadings --output NAME,BACK-FILE
	section maps dmsetup ls
	section nulls ls /sys/kernel/config/nullb
	section vbds vbd_nodes
	section grants mapped_grants
	section guests guests_state
}

section() {
	local name=$1
	shift
	"$@" 2>/dev/null | sed "s/^/$name: /"
}

# Lines since the test began; expected ones are taken out.
dom0_messages() {
	dmesg | awk -v marker="$marker" 'index($0, marker) { found = 1; next } found'
}

guest_messages() {
	local file size
	console_sizes | while read -r file size; do
		tail -c "+$(($(awk -v f="$file" '$1 == f { print $2 }' "$run_dir/consoles") + 1))" "$console_dir/$file" |
			tr -d '\r' | sed "s/^/${file%.log}: /"
	done
}

unexpected() {
	grep -E "$1" | if [[ -s $OUT/expected-messages ]]; then grep -Evf "$OUT/expected-messages"; else cat; fi
}

# A pool guest that a test made or dropped is no leak; all else that differs is.
leaks() {
	diff <(grep -v '^grants: d[1-9]\|^guests: .*: 0$' "$run_dir/before") \
		<(grep -v '^grants: d[1-9]\|^guests: .*: 0$' "$run_dir/after") | grep '^[<>]'
	awk '/^grants: d[1-9]/ && $3 > limit { print "> " $0 }' limit=4 "$run_dir/after"
}

report() {
	local title=$1 lines=$2
	[[ $lines ]] || return 0
	echo "FAIL: $title"
	sed 's/^/    /' <<<"$lines"
	echo "$title: $(head -n 1 <<<"$lines")" >>"$OUT/reason"
	faults=$((faults + 1))
}

# Returns 1 when the host must not be used further.
find_faults() {
	faults=0
	report "kernel message in dom0" "$(dom0_messages | unexpected "$bad_messages")"
	report "kernel message in a guest" "$(guest_messages | unexpected "$bad_messages")"
	report "hypervisor message" "$(unexpected "$bad_hypervisor" <<<"$hypervisor_log")"
	report "left behind" "$(leaks)"
	((faults == 0))
}

collect_logs() {
	dom0_messages >"$OUT/dmesg-dom0"
	guest_messages >"$OUT/console-guests"
	xenstore-ls -fp >"$OUT/xenstore" 2>/dev/null
	cp "$run_dir/before" "$run_dir/after" "$OUT/"
	cp /var/log/xen/xen-hotplug.log "$OUT/" 2>/dev/null
}
