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

load_module() {
	local module=$1 origin=$2 file
	shift 2
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
