# shellcheck shell=bash
# Guests. A pool guest outlives the test that made it, since making one costs 15 s:
# a test that asks for the same kind gets it with no disk and no frontend loaded.

declare -A domids=()

boot_direct="kernel = \"/opt/guest/vmlinux\"
ramdisk = \"$run_dir/initrd.cpio\""
boot_grub='kernel = "/opt/guest/grub.bin"'

# What a test may set before it makes a guest: GUEST_ARGS for its kernel, GUEST_BOOT in
# place of "boot_direct", GUEST_DISKS in the form of xl's "disk", GUEST_MORE for any line
# beside. Self-tests of ciphers at boot run code that another processor changes meanwhile,
# at which QEMU before 8.1 can stay for good: "look" tells of it.

guest_config() {
	local name=$1 type=$2 vcpus=$3 memory=$4
	cat <<-END
		name = "$name"
		type = "$type"
		vcpus = $vcpus
		memory = $memory
		${GUEST_BOOT:-$boot_direct}
		extra = "console=hvc0 loglevel=5 panic=1 mitigations=off audit=0 lsm= cryptomgr.notests hung_task_panic=0 ${GUEST_ARGS:-}"
		tsc_mode = "native"
		on_poweroff = "destroy"
		on_reboot = "destroy"
		on_crash = "destroy"
		disk = [ ${GUEST_DISKS:-} ]
		${GUEST_MORE:-}
	END
}

# The frontend under test rides behind the image's own initramfs; neither is packed,
# since libxc unpacks what is and takes offence at two archives in one file.
guest_initrd() {
	local dir=$run_dir/front
	rm -rf "$dir"
	mkdir -p "$dir/opt/ours"
	[[ $FRONT == stock ]] || cp "$(module_file xen-blkfront ours)" "$dir/opt/ours/"
	cp /opt/guest/initrd.cpio "$run_dir/initrd.cpio"
	(cd "$dir" && find . | cpio --quiet -o -H newc) >>"$run_dir/initrd.cpio"
}

# Two kinds are the same guest only if the module inside is the same too.
guest_kind() {
	local front=stock
	[[ $FRONT == stock ]] || front=$(md5sum <"$(module_file xen-blkfront ours)" | cut -c1-8)
	echo "type=$1 vcpus=$2 memory=$3 front=$front"
}

# create_domain NAME TYPE VCPUS MEMORY: leaves its number in "domid".
create_domain() {
	local name=$1
	say "creating guest $name: $2, $3 vcpus, $4 MiB"
	guest_initrd
	guest_config "$@" >"$run_dir/$name.cfg"
	xl create -q "$run_dir/$name.cfg" || harness_error "xl create $name"
	domid=$(xl domid "$name")
	domids[$name]=$domid
	echo "$domid" >"$run_dir/$name.domid"
	guest_exec "$name" "true" || harness_error "guest $name has no agent: see guest-$name.log"
	guest_kind "$2" "$3" "$4" >"$run_dir/$name.kind"
}

# use_guest [TYPE [VCPUS [MEMORY]]]: a guest of the pool; sets "guest" and "domid".
use_guest() {
	local type=${1:-pv} vcpus=${2:-4} memory=${3:-256}
	guest=$type$vcpus
	if [[ $(cat "$run_dir/$guest.kind" 2>/dev/null) == "$(guest_kind "$type" "$vcpus" "$memory")" ]] &&
		GUEST_LIMIT=20 guest_exec "$guest" "true" 2>/dev/null; then
		domid=${domids[$guest]}
		return
	fi
	destroy_guest "$guest"
	make_room "$memory"
	create_domain "$guest" "$type" "$vcpus" "$memory"
}

# guest_create NAME [TYPE [VCPUS [MEMORY]]]: for this test only.
guest_create() {
	local name=$1 type=${2:-pv} vcpus=${3:-2} memory=${4:-256}
	make_room "$memory"
	create_domain "$name" "$type" "$vcpus" "$memory"
	defer destroy_guest "$name"
}

list_guests() {
	xl list | awk 'NR > 1 && $1 != "Domain-0" { print $1 }'
}

# Pool guests give way, the machine being small.
make_room() {
	local free name
	for name in $(list_guests); do
		free=$(xl info | awk '$1 == "free_memory" { print $3 }')
		((free < $1 + 64)) || return 0
		[[ $name == "${guest:-}" ]] || destroy_guest "$name"
	done
}

destroy_guest() {
	local name=$1
	rm -f "$run_dir/$name".{kind,domid}
	unset "domids[$name]"
	xl domid "$name" >/dev/null 2>&1 || return 0
	xl destroy "$name"
}

# guest_exec NAME SCRIPT: what ssh would do; 255 when the guest is gone.
guest_exec() {
	local name=$1
	[[ ${domids[$name]:-} ]] || domids[$name]=$(cat "$run_dir/$name.domid" 2>/dev/null) || return 255
	timeout -k 5 "$((${GUEST_LIMIT:-120} * PATIENCE))" agent run-vchan "${domids[$name]}" "$run_dir" "$2"
}

# guest_load_front NAME [PARAMETER=VALUE]...
guest_load_front() {
	local name=$1 file=/opt/ours/xen-blkfront.ko parameters
	shift
	read -ra parameters <<<"$(transport_parameters xen-blkfront "$FRONT")"
	set -- "${parameters[@]}" "$@"
	say "loading xen-blkfront ($FRONT) in $name $*"
	if [[ $FRONT == stock ]]; then
		guest_exec "$name" "modprobe xen-blkfront $*" || fail "modprobe xen-blkfront in $name"
	else
		guest_exec "$name" "insmod $file $*" || fail "insmod xen-blkfront in $name"
	fi
	defer guest_unload_front "$name"
}

guest_unload_front() {
	forget guest_unload_front "$1"
	guest_exec "$1" "rmmod xen-blkfront" || fail "rmmod xen-blkfront in $1"
}

guest_wait_disk() {
	guest_exec "$1" "agent wait-disk $((${3:-60} * PATIENCE)) /dev/$2" || fail "no /dev/$2 in $1"
}

# guest_save NAME FILE [OPTION]...: its domain ends, unless told otherwise.
guest_save() {
	local name=$1 file=$2
	shift 2
	say "saving guest $name $*"
	xl save "$@" "$name" "$file" >"$OUT/save-$name" 2>&1 || fail "xl save $name: $(tail -n 1 "$OUT/save-$name")"
}

# guest_restore NAME FILE [VDEV]...: it is another domain then; sets "domid". The
# disks are those that "attach" made.
guest_restore() {
	local name=$1 file=$2
	shift 2
	say "restoring guest $name"
	xl restore "$file" >"$OUT/restore-$name" 2>&1 || fail "xl restore $name: $(tail -n 1 "$OUT/restore-$name")"
	rm -f "$file"
	guest_moved "$name" "$@"
}

# guest_moved NAME [VDEV]...: the same guest with the same disks is another domain.
guest_moved() {
	local name=$1 old=${domids[$1]} vdev
	shift
	domid=$(xl domid "$name")
	domids[$name]=$domid
	echo "$domid" >"$run_dir/$name.domid"
	for vdev in "$@"; do
		forget detach "$old" "$vdev"
		defer detach "$domid" "$vdev"
	done
}
