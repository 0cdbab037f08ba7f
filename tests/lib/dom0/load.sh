# shellcheck shell=bash
# I/O load with content checks, in guests, and checksums from both sides.

# fio_guest NAME DEVICE OPTION...: fails on any error; its JSON goes to $OUT.
fio_guest() {
	local name=$1 device=$2 json
	shift 2
	json=$OUT/fio-$name-$(basename "$device").json
	guest_exec "$name" "fio --name=job --filename=$device --direct=1 --ioengine=libaio --group_reporting \
		--output-format=json $* 2>&1" >"$json" || fail "fio in $name: $(grep -v '^[ {}]' "$json" | head -n 3)"
	check_fio_json "$json"
}

# An exit status alone does not say that anything was read back.
check_fio_json() {
	local errors
	errors=$(sed -n '/^{/,/^}/p' "$1" | jq '[.jobs[].error] | add') || fail "fio left no JSON: $1"
	assert_equal "errors in $(basename "$1")" 0 "$errors"
}

fio_total_ios() {
	sed -n '/^{/,/^}/p' "$1" | jq '[.jobs[] | .read.total_ios + .write.total_ios] | add'
}

# fio_verify NAME DEVICE OPTION...: writes, then reads back and checks crc32c.
fio_verify() {
	fio_guest "$@" --verify=crc32c --verify_fatal=1 --do_verify=1
}

checksum() {
	blockdev --flushbufs "$1" 2>/dev/null || true
	md5sum <"$1" | cut -d' ' -f1
}

guest_checksum() {
	guest_exec "$1" "blockdev --flushbufs $2; md5sum <$2" | cut -d' ' -f1
}

assert_same_content() {
	local name=$1 device=$2 backing=$3
	assert_equal "checksum of $backing in dom0 and $device in $name" "$(checksum "$backing")" "$(guest_checksum "$name" "$device")"
}
