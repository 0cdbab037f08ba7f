# shellcheck shell=bash
# The emulated host, seen from this machine: boot it, run scripts in its dom0, stop it.
# Callers set "instance"; each instance is a host of its own.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Two work trees on one machine must not take each other's host.
default_instance=$(basename "$top")-$(sha256sum <<<"$top" | cut -c1-6)
instance=${instance:-$default_instance}
cache=${XENBLK_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/xen-blk}
results=${XENBLK_RESULTS:-$top/tests/results}

host_state() {
	echo "$cache/run/$instance"
}

host_pid() {
	cat "$(host_state)/pid" 2>/dev/null
}

# The pid alone may by now be somebody else's process.
host_alive() {
	local pid
	pid=$(host_pid) && tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$(host_state)/pid"
}

# Images first: a host is only as current as they are. Leaves "agent" set.
host_boot() {
	local images
	images=$("$top/guest-images/build") || return 1
	agent=$(awk '$1 == "agent" { print $2 }' <<<"$images")/agent
	mkdir -p "$(host_state)" "$results"
	echo "$agent" >"$(host_state)/agent"
	"$top/guest-images/boot" "$(host_state)" "$top" "$results"
}

# Runs a script in dom0: prints its output, returns its status; 255 when the host is
# gone, 124 when the time is over.
host_run() {
	local limit=$1 script=$2
	timeout --foreground -k 5 "$limit" "$(cat "$(host_state)/agent")" run-tcp "$(cat "$(host_state)/port")" "$script"
}

# Processor seconds that the host has used: unlike the clock's, they say little about
# what else this machine does.
host_cpu_seconds() {
	local ticks
	ticks=$(awk '{ print $14 + $15 }' "/proc/$(host_pid)/stat" 2>/dev/null) || ticks=0
	echo $((${ticks:-0} / $(getconf CLK_TCK)))
}

# The images are pristine by construction, so there is nothing to shut down.
host_down() {
	local pid
	host_alive || return 0
	pid=$(host_pid)
	kill "$pid"
	tail --pid="$pid" -f /dev/null
}

# What the host's consoles said, for the results folder.
host_console() {
	cat "$(host_state)/console.log"
}
