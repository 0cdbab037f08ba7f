# shellcheck shell=bash
# Xenstore: reading, and waiting for a value without polling.

# Prints nothing for a node that is absent.
node() {
	xenstore-read "$1" 2>/dev/null || true
}

# Waits until a node has the value ("" means absent); returns 1 when the time is over.
wait_node() {
	agent wait-node $((${3:-60} * PATIENCE)) "$1" "$2"
}

# The number by which xenstore knows a disk: xvda is 51712, from xvdq on extended. One
# that is named as a partition is a disk in which no partitions are looked for.
vdev_number() {
	local index partition
	[[ $1 =~ ^xvd([a-z])([0-9]?)$ ]] || harness_error "vdev_number: $1 is not of the form xvdX or xvdXn"
	index=$(($(printf '%d' "'${BASH_REMATCH[1]}") - 97)) partition=${BASH_REMATCH[2]:-0}
	if ((index < 16)); then
		echo $((202 << 8 | index << 4 | partition))
	else
		echo $((1 << 28 | index << 8 | partition))
	fi
}

backend_path() {
	echo "/local/domain/0/backend/vbd/$1/$(vdev_number "$2")"
}

frontend_path() {
	echo "/local/domain/$1/device/vbd/$(vdev_number "$2")"
}
