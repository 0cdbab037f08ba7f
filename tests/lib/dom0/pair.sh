# shellcheck shell=bash
# The pair under test: FRONT and BACK say "ours" or "stock".

module_file() {
	local module=$1 origin=$2
	if [[ $origin == ours ]]; then
		echo "$modules_dir/$module.ko"
	else
		modinfo -n "$module"
	fi
}

is_loaded() {
	[[ -d /sys/module/${1//-/_} ]]
}

# transport_parameters MODULE ORIGIN: a test's own parameters come after them, and win.
transport_parameters() {
	[[ $2 == ours ]] || return 0
	case $TRANSPORT:$1 in
	:*) ;;
	persistent:*) echo feature_persistent=1 ;;
	map:xen-blkback) echo feature_persistent=0 max_copy_pages=0 ;;
	copy:xen-blkback) echo feature_persistent=0 max_copy_pages=256 ;;
	map:* | copy:*) echo feature_persistent=0 ;;
	*) harness_error "no such transport: $TRANSPORT" ;;
	esac
}

load_module() {
	local module=$1 origin=$2 file parameters
	shift 2
	read -ra parameters <<<"$(transport_parameters "$module" "$origin")"
	set -- "${parameters[@]}" "$@"
	file=$(module_file "$module" "$origin")
	[[ -f $file ]] || harness_error "no $module ($origin): $file"
	say "loading $module ($origin) $*"
	insmod "$file" "$@" || fail "insmod $module $* was refused"
}

unload_module() {
	! is_loaded "$1" || rmmod "$1"
}

load_backend() {
	load_module xen-blkback "$BACK" "$@"
	defer unload_module xen-blkback
}

# Only for tests in which dom0 is its own guest.
load_front_here() {
	load_module xen-blkfront "$FRONT" "$@"
	defer unload_module xen-blkfront
}

# backend_offers QUEUES ORDER: to the disks that it takes up from now on.
backend_offers() {
	say "the backend offers $1 queues, order $2"
	echo "$1" >/sys/module/xen_blkback/parameters/max_queues
	echo "$2" >/sys/module/xen_blkback/parameters/max_ring_page_order
}

# What the reload of a driver, or a new driver domain, is to a guest.
backend_unbind() {
	say "taking the backend's driver off $2 of domain $1"
	echo "vbd-$1-$(vdev_number "$2")" >/sys/bus/xen-backend/drivers/vbd/unbind
}

backend_bind() {
	say "putting the backend's driver on $2 of domain $1"
	echo "vbd-$1-$(vdev_number "$2")" >/sys/bus/xen-backend/drivers/vbd/bind
}

# assert_rings NAME DOMID VDEV QUEUES ORDER: what a connected frontend published, and
# that nothing of an earlier connection is beside it.
assert_rings() {
	local name=$1 front queues=$4 order=$5 want=0 keys
	front=$(frontend_path "$2" "$3")
	((queues == 1)) || want=$queues
	keys=$(xenstore-list "$front")
	assert_equal "queue directories" "$want" "$(grep -c ^queue- <<<"$keys" || true)"
	assert_equal "multi-queue-num-queues" "${want#0}" "$(node "$front/multi-queue-num-queues")"
	assert_equal "ring-page-order" "${order#0}" "$(node "$front/ring-page-order")"
	((queues == 1)) || front+=/queue-0
	assert_equal "ring references" $((1 << order)) "$(xenstore-list "$front" | grep -c ^ring-ref)"
	assert_equal "hardware queues in the guest" "$queues" "$(guest_exec "$name" "ls /sys/block/$3/mq | wc -l")"
}
