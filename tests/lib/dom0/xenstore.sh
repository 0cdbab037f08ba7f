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

# Disks count in letters: a is 0, z is 25, aa is 26. Leaves the number by which xenstore
# knows a disk or a partition in "vdev_nr", as xl computes it: xvda is 51712, from xvdq on
# extended. No process is started here: tests ask for numbers at every step.
count_vdev() {
	local index=0 code letters partition
	[[ $1 =~ ^(xvd|hd|sd)([a-z]+)([0-9]*)$ ]] || harness_error "count_vdev: $1 is no disk"
	partition=${BASH_REMATCH[3]:-0}
	for ((letters = 0; letters < ${#BASH_REMATCH[2]}; letters++)); do
		printf -v code '%d' "'${BASH_REMATCH[2]:letters:1}"
		index=$((index * 26 + code - 96))
	done
	index=$((index - 1))
	case ${BASH_REMATCH[1]} in
	hd) vdev_nr=$((index < 2 ? 3 << 8 | index << 6 | partition : 22 << 8 | (index - 2) << 6 | partition)) ;;
	sd) vdev_nr=$((8 << 8 | index << 4 | partition)) ;;
	xvd) vdev_nr=$((index < 16 ? 202 << 8 | index << 4 | partition : 1 << 28 | index << 8 | partition)) ;;
	esac
}

vdev_number() {
	count_vdev "$1"
	echo "$vdev_nr"
}

backend_path() {
	count_vdev "$2"
	echo "/local/domain/0/backend/vbd/$1/$vdev_nr"
}

frontend_path() {
	count_vdev "$2"
	echo "/local/domain/$1/device/vbd/$vdev_nr"
}
