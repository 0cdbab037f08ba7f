# shellcheck shell=bash
# Backing devices, and attaching them: with xl as an administrator does, or by the
# same xenstore nodes without hotplug scripts, which under emulation saves seconds.

# null_create NAME MEGABYTES [ATTRIBUTE=VALUE]...; leaves its path in "null_dev".
null_create() {
	local name=$1 size=$2 dir=/sys/kernel/config/nullb/$1 attribute
	shift 2
	is_loaded null_blk || modprobe null_blk nr_devices=0
	mkdir "$dir"
	for attribute in "size=$size" memory_backed=1 submit_queues=2 "$@"; do
		echo "${attribute#*=}" >"$dir/${attribute%%=*}" || harness_error "null_blk refuses $attribute"
	done
	echo 1 >"$dir/power"
	null_dev=/dev/nullb$(cat "$dir/index")
	[[ -b $null_dev ]] || null_dev=/dev/$name
	[[ -b $null_dev ]] || harness_error "null_blk made no device for $name"
	defer null_remove "$name"
}

null_remove() {
	echo 0 >"/sys/kernel/config/nullb/$1/power"
	rmdir "/sys/kernel/config/nullb/$1"
}

# An open disk holds its driver's module; so does its folder in configfs.
null_openers() {
	awk '$1 == "null_blk" { print $3 }' /proc/modules
}

# The path of a device-mapper device: nobody makes links in /dev/mapper here.
dm_path() {
	echo "/dev/$(dmsetup info -c --noheadings -o blkdevname "$1")"
}

# held_create NAME SECTORS DEVICE: a device over another, that "dmsetup suspend" holds
# with all that is in flight; leaves its path in "held_dev".
held_create() {
	modprobe dm-mod
	echo "0 $2 linear $3 0" | dmsetup create "$1"
	held_dev=$(dm_path "$1")
	defer held_remove "$1"
}

# Its last opener goes with the last ring.
held_remove() {
	dmsetup resume "$1"
	dmsetup remove --retry "$1"
}

# scsi_create MEGABYTES [PARAMETER=VALUE]...: an emulated SCSI disk; leaves its path in
# "scsi_dev".
scsi_create() {
	local tries
	modprobe scsi_debug "dev_size_mb=$1" "${@:2}"
	defer modprobe -r scsi_debug
	modprobe sd_mod
	# Disks are looked for in the background.
	for ((tries = 0; tries < 100; tries++)); do
		scsi_dev=$(compgen -G '/sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/*') && break
		sleep 0.1
	done
	scsi_dev=/dev/${scsi_dev##*/}
	wait_block_device "$scsi_dev"
}

# loop_create FILE SIZE [OPTION OF losetup]...; leaves its path in "loop_dev".
loop_create() {
	local file=$1 size=$2
	[[ -e /dev/loop-control ]] || modprobe loop max_loop=0
	truncate -s "$size" "$file"
	loop_dev=$(losetup --find --show "${@:3}" "$file")
	defer loop_remove "$loop_dev" "$file"
}

loop_remove() {
	losetup -d "$1"
	rm -f "$2"
}

# attach DOMID DEVICE VDEV [r|w]: as an administrator does it.
attach() {
	local domid=$1 device=$2 vdev=$3 mode=${4:-w} output
	say "attaching $device to domain $domid as $vdev ($mode)"
	output=$(xl block-attach "$domid" "phy:$device" "$vdev" "$mode" 2>&1) || {
		echo "$output" >&2
		[[ $output != *"because of timeout"* ]] ||
			fail "xl gave up on the hotplug script of $vdev after 40 s: is this machine busy with other work?"
		fail "xl block-attach $vdev"
	}
	defer detach "$domid" "$vdev"
}

detach() {
	local domid=$1 vdev=$2
	forget detach "$domid" "$vdev"
	say "detaching $vdev from domain $domid"
	xl block-detach "$domid" "$vdev" || fail "xl block-detach $vdev"
	wait_node "$(backend_path "$domid" "$vdev")/state" "" 30 || fail "backend node of $vdev stays"
}

# Nodes that libxl writes before the backend sees the device.
backend_nodes() {
	local domid=$1 device=$2 vdev=$3 mode=$4 path
	path=$(backend_path "$domid" "$vdev")
	printf '%s\n' "$path/frontend" "$(frontend_path "$domid" "$vdev")" "$path/frontend-id" "$domid" \
		"$path/online" 1 "$path/removable" 0 "$path/bootable" 1 "$path/dev" "$vdev" "$path/type" phy \
		"$path/mode" "$mode" "$path/device-type" disk "$path/discard-enable" 1 "$path/params" "$device" \
		"$path/physical-device" "$(stat -c '%t:%T' "$device")" "$path/physical-device-path" "$device" \
		"$path/hotplug-status" connected "$path/state" 1
}

frontend_nodes() {
	local domid=$1 vdev=$2 path
	path=$(frontend_path "$domid" "$vdev")
	printf '%s\n' "$path/backend" "$(backend_path "$domid" "$vdev")" "$path/backend-id" 0 \
		"$path/virtual-device" "$(vdev_number "$vdev")" "$path/device-type" disk "$path/event-channel" "" \
		"$path/state" 1
}

# The owner comes first: a guest owns its own half and may only read the other.
share_nodes() {
	local domid=$1 vdev=$2 front back
	front=$(frontend_path "$domid" "$vdev")
	back=$(backend_path "$domid" "$vdev")
	xenstore-write "$back" "" "$front" ""
	xenstore-chmod "$back" n0 "r$domid"
	xenstore-chmod "$front" "n$domid" r0
}

# attach_fast DOMID DEVICE VDEV [r|w [NODE=VALUE]...]: the same nodes without hotplug
# scripts; those of the backend's directory that are named get another value.
attach_fast() {
	local domid=$1 device=$2 vdev=$3 mode=${4:-w} nodes node
	say "attaching $device to domain $domid as $vdev ($mode), by xenstore"
	share_nodes "$domid" "$vdev"
	mapfile -t nodes < <(frontend_nodes "$domid" "$vdev"; backend_nodes "$domid" "$device" "$vdev" "$mode")
	for node in "${@:5}"; do nodes+=("$(backend_path "$domid" "$vdev")/${node%%=*}" "${node#*=}"); done
	xenstore-write "${nodes[@]}"
	defer detach_fast "$domid" "$vdev"
}

# What a toolstack does to take a disk away: the other half follows by itself. One that
# is Closed already stays so, or nobody would move any more.
detach_fast() {
	local domid=$1 vdev=$2 back
	back=$(backend_path "$domid" "$vdev")
	forget detach_fast "$domid" "$vdev"
	say "detaching $vdev from domain $domid, by xenstore"
	xenstore-write "$back/online" 0
	[[ $(node "$back/state") == 6 ]] || xenstore-write "$back/state" 5
	wait_node "$back/state" 6 "${DETACH_LIMIT:-40}" || fail "$vdev does not close: $(describe_ends "$domid" "$vdev")"
	xenstore-rm "$(frontend_path "$domid" "$vdev")" "$back"
}

# Waits until both halves say Connected.
wait_connected() {
	local domid=$1 vdev=$2 limit=${3:-60} path
	for path in "$(backend_path "$domid" "$vdev")" "$(frontend_path "$domid" "$vdev")"; do
		wait_node "$path/state" 4 "$limit" || fail "$vdev of domain $domid does not connect: $(describe_ends "$domid" "$vdev")"
	done
	say "$vdev is connected"
}

describe_ends() {
	local back front
	back=$(backend_path "$1" "$2")
	front=$(frontend_path "$1" "$2")
	echo "backend state $(node "$back/state") error '$(node "/local/domain/0/error/${back#/local/domain/0/}/error")'," \
		"frontend state $(node "$front/state") error '$(node "/local/domain/$1/error/${front#/local/domain/"$1"/}/error")'"
}

# ring_sum DOMID VDEV COLUMN: over all rings, from our backend's table in debugfs.
ring_sum() {
	awk -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { sum += $at } END { print sum + 0 }' \
		"/sys/kernel/debug/xen-blkback/vbd-$1-$(vdev_number "$2")/rings"
}

wait_block_device() {
	agent wait-disk $((30 * PATIENCE)) "$1" || fail "no $1"
}
