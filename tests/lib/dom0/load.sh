# shellcheck shell=bash
# I/O load with content checks, in guests, and checksums from both sides.

# fio_guest NAME DEVICE OPTION...: fails on any error; its JSON goes to $OUT.
fio_guest() {
	local name=$1 device=$2 json
	shift 2
	json=$OUT/fio-$name-$(basename "$device").json
	say "fio in $name: $*"
	guest_exec "$name" "fio --name=job --filename=$device --direct=1 --ioengine=libaio --group_reporting \
		--output-format=json $* 2>&1" >"$json" || fail "fio in $name: $(fio_words "$json")"
	check_fio_json "$json"
}

# fio_json FILE [JQ_OPTION]... FILTER: fio mixes what it warns of with its JSON.
fio_json() {
	sed -n '/^{/,/^}/p' "$1" | jq "${@:2}"
}

# The first lines that are no JSON; there may be none.
fio_words() {
	awk '!/^[ {}]/ && n++ < 3' "$1"
}

check_fio_json() {
	local errors
	errors=$(fio_json "$1" '[.jobs[].error] | add') || fail "fio left no JSON: $1"
	assert_equal "errors in $(basename "$1")" 0 "$errors"
}

# fio_verify NAME DEVICE OPTION...: writes, then reads back and checks crc32c. Each with
# another seed: what the one before left on the disk must not pass for what this one wrote.
verify_seed=0
fio_verify() {
	verify_seed=$((verify_seed + 1))
	fio_guest "$1" "$2" --verify=crc32c --verify_fatal=1 --do_verify=1 --randseed="$verify_seed" "${@:3}"
	assert_read_back "$OUT/fio-$1-$(basename "$2").json"
}

# An exit status alone does not say that anything was read.
assert_read_back() {
	(($(fio_json "$1" '[.jobs[].read.total_ios] | add') > 0)) || fail "fio read nothing back: $(basename "$1")"
}

# As fio_verify, but apart from the session, which ends when a guest is saved; its
# result is taken by guest_end_verify. One a guest.
guest_start_verify() {
	local name=$1 device=$2
	shift 2
	say "fio in $name, on its own: $*"
	guest_exec "$name" "rm -f /tmp/verify.*; mkfifo /tmp/verify.end
		(fio --name=job --filename=$device --direct=1 --ioengine=libaio --group_reporting --output-format=json \
			--output=/tmp/verify.json --verify=crc32c --verify_fatal=1 --do_verify=1 $*; echo \$? >/tmp/verify.end) \
			</dev/null >/tmp/verify.log 2>&1 &"
	defer guest_kill_verify "$name"
}

# guest_end_verify NAME WRITES: as many must have completed, and been read back.
#
# A guest that freezes interrupts whoever waits. fio 3.33 that has had some of the answers
# that it waits for then asks libaio for all of them once more, more than are to come: until
# the next interruption, which lets it count those that came. One that is stopped and goes
# on is interrupted; nobody else notices.
guest_end_verify() {
	local name=$1 json=$OUT/fio-$1-verify.json
	guest_exec "$name" "exec 3<>/tmp/verify.end
		until read -r -t 2 status <&3; do killall -STOP fio; killall -CONT fio; done
		cat /tmp/verify.log /tmp/verify.json; exit \$status" >"$json" ||
		fail "fio in $name: $(fio_words "$json")"
	forget guest_kill_verify "$name"
	check_fio_json "$json"
	assert_read_back "$json"
	assert_equal "writes issued and completed in $name" "$2 $2" \
		"$(fio_json "$json" -r '[.jobs[].write] | "\(map(.total_ios) | add) \(map(.clat_ns.N) | add)"')"
}

# Writes that a device of dom0 has done. Noted while a guest is away, it tells afterwards
# whether the guest's load had ended before.
writes_of() {
	awk '{ print $5 }' "/sys/block/${1#/dev/}/stat"
}

# assert_went_on DEVICE WRITES: with what "writes_of" said meanwhile.
assert_went_on() {
	local writes=$(($(writes_of "$1") - $2))
	say "$writes writes since then at $1"
	((writes > 0)) || fail "the load had ended before the guest came back"
}

# bios_replayed NAME DISK: how many its last connection has brought along, by the log of
# the guest, which is emptied with that: the next look finds the next connection.
bios_replayed() {
	guest_exec "$1" "dmesg -c" | sed -n "s/.* $2: connected again, .* \([0-9]*\) bios replayed$/\1/p" | tail -n 1 | grep . ||
		fail "$1 does not say that $2 connected again"
}

guest_kill_verify() {
	guest_exec "$1" "killall fio; cat /tmp/verify.end" || true
}

# Prints only the sum: it is used in command substitutions.
# Both past the page cache, so that what is compared is what the devices hold.
checksum() {
	agent sum "$1"
}

guest_checksum() {
	guest_exec "$1" "agent sum $2"
}

assert_same_content() {
	say "comparing checksums of $2 and $3"
	local name=$1 device=$2 backing=$3
	assert_equal "checksum of $backing in dom0 and $device in $name" "$(checksum "$backing")" "$(guest_checksum "$name" "$device")"
}

fio_here() {
	local device=$1 json
	shift
	json=$OUT/fio-here-$(basename "$device").json
	fio --name=job --filename="$device" --direct=1 --ioengine=libaio --group_reporting \
		--output-format=json "$@" >"$json" 2>&1 || fail "fio in dom0: $(head -n 3 "$json")"
	check_fio_json "$json"
}

# guest_start_load NAME DEVICE [OPTION]...: fio until guest_stop_load; one load a test. In
# loops: a load that is time based takes any old block of its own for what it wrote last.
guest_start_load() {
	load_guest=$1
	# A guest that is destroyed takes its load along: that is no fault by itself.
	(
		trap - ERR
		# It ends when it is told to.
		GUEST_LIMIT=900 guest_exec "$load_guest" "exec fio --name=load --filename=$2 --direct=1 --ioengine=libaio --rw=randrw --bs=4k \
			--iodepth=16 --loops=1000000 --runtime=600 --output-format=json ${*:3} 2>&1"
	) >"$OUT/fio-load.json" &
	load_pid=$!
	defer guest_load_ended
}

# The load must have run all the time: an early end is an error of the disk.
guest_stop_load() {
	kill -0 "$load_pid" 2>/dev/null || fail "the load ended by itself: $(head -n 3 "$OUT/fio-load.json")"
	guest_exec "$load_guest" "killall -INT fio"
	wait "$load_pid" || true
	forget guest_load_ended
	check_fio_json "$OUT/fio-load.json"
}

# Not waited for: what undoes a test is not the parent of its load.
guest_load_ended() {
	forget guest_load_ended
	if list_guests | grep -qx "$load_guest"; then guest_exec "$load_guest" "killall fio" || true; fi
	kill "$load_pid" 2>/dev/null || true
}

# Waits until a device of dom0 has seen some hundred requests more.
wait_busy() {
	local name=${1#/dev/} start now deadline=$((SECONDS + 60 * PATIENCE))
	start=$(awk '{ print $1 + $5 }' "/sys/block/$name/stat")
	while now=$(awk '{ print $1 + $5 }' "/sys/block/$name/stat"); ((now < start + 200)); do
		((SECONDS < deadline)) || fail "no I/O arrives at $1"
		sleep 0.2
	done
}

# The same work for a PV and a PVH guest: block sizes from a sector to 1 MiB.
verify_gigabyte() {
	load_backend max_queues=4 max_ring_page_order=2
	null_create disk 1024 blocksize=512
	use_guest "$1" 4 512
	guest_load_front "$guest" max_queues=4 max_ring_page_order=2
	attach_fast "$domid" "$null_dev" xvda
	wait_connected "$domid" xvda
	guest_wait_disk "$guest" xvda
	assert_equal "hardware queues in the guest" 4 "$(guest_exec "$guest" "ls /sys/block/xvda/mq | wc -l")"
	count_queues "$guest" xvda
	GUEST_LIMIT=2000 fio_verify "$guest" /dev/xvda --rw=randwrite --bssplit=512/1:4k/2:64k/7:256k/30:1m/60 --bs_unaligned \
		--size=256m --offset_increment=256m --numjobs=4 --thread --iodepth=32 \
		--cpus_allowed=0-3 --cpus_allowed_policy=split
	assert_queues_used "$guest" xvda 4
	GUEST_LIMIT=600 assert_same_content "$guest" /dev/xvda "$null_dev"
}

# Counts the requests that a guest starts on a disk, by CPU, from now on. The block
# layer starts a request on a CPU of its hardware queue, so that tells the queue.
count_queues() {
	local dev
	dev=$(guest_exec "$1" "cat /sys/block/$2/dev")
	queue_filter="hist:keys=common_cpu if dev == $((${dev%:*} << 20 | ${dev#*:}))"
	guest_exec "$1" "echo '$queue_filter' >/sys/kernel/tracing/events/block/block_rq_issue/trigger" || harness_error "no histogram in $1"
	defer stop_counting "$1" "$queue_filter"
}

stop_counting() {
	forget stop_counting "$1" "$2"
	guest_exec "$1" "echo '!$2' >/sys/kernel/tracing/events/block/block_rq_issue/trigger"
}

# Requests since then, one line for each hardware queue.
queue_counts() {
	guest_exec "$1" "for q in \$(ls -d /sys/block/$2/mq/* | sort -V); do
		cpus=\" \$(tr -d , <\$q/cpu_list) \"
		sed -n 's/.*common_cpu: *\([0-9]*\) .*hitcount: *\([0-9]*\).*/\1 \2/p' /sys/kernel/tracing/events/block/block_rq_issue/hist |
			awk -v cpus=\"\$cpus\" 'index(cpus, \" \" \$1 \" \") { n += \$2 } END { print n + 0 }'
	done"
}

# assert_queues_used NAME DISK QUEUES: after count_queues and some load on all CPUs.
assert_queues_used() {
	local counts
	mapfile -t counts < <(queue_counts "$1" "$2")
	say "requests by queue: ${counts[*]}"
	assert_equal "number of queues with counters" "$3" "${#counts[@]}"
	[[ " ${counts[*]} " != *" 0 "* ]] || fail "a queue carried nothing: ${counts[*]}"
}

# With verify_interval=512 fio heads each sector with a struct verify_header: its own
# byte offset on the disk is the little-endian number at byte 16.
assert_sectors_numbered() {
	local device=$1 first=$2 count=$3 wrong
	wrong=$(dd if="$device" bs=512 skip="$first" count="$count" iflag=direct status=none |
		perl -e '$at = shift() * 512; while (read STDIN, $sector, 512) {
			print "sector ", $at / 512, " holds what belongs to ", unpack("x16 Q<", $sector) / 512, "\n" if unpack("x16 Q<", $sector) != $at;
			$at += 512 }' "$first" | head -n 3)
	[[ ! $wrong ]] || fail "misplaced data on $device: $wrong"
}

# Prints KiB: what is in the slab caches that anything of a disk could come from, and what
# nothing uses for good: free, or of programs, which have their own reasons to grow. What
# caches hold back for later is given up first, and what processors hold back is counted,
# or it would be more than what is measured. Large objects are in no cache of slabs, and
# pages are not either: they are seen in the second figure alone.
# shellcheck disable=SC2016
readonly memory_script='sync; echo 3 >/proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/*; do echo 1 >$cache/shrink; done 2>/dev/null
	awk "/^(kmalloc|blk|bio|request|radix|task_struct)/ { n += \$2 * \$4 } END { print int(n / 1024) }" /proc/slabinfo
	awk "\$1 == \"count:\" { n += 4 * \$2 }
		/^(MemFree|Buffers|Cached|SReclaimable|AnonPages|PageTables):/ { n += \$2 } END { print n }" /proc/zoneinfo /proc/meminfo'

# measure_memory [GUEST]: in dom0 or in a guest; sets "slab" and "free".
measure_memory() {
	local said
	if [[ ${1:-} ]]; then said=$(guest_exec "$1" "$memory_script"); else said=$(bash -c "$memory_script"); fi
	read -r slab free < <(xargs <<<"$said")
	[[ $slab && $free ]] || harness_error "no figures of memory: $said"
}

# note_memory [GUEST]: once all is there that is made in the first rounds and kept.
note_memory() {
	local name
	declare -gA slab_before=() free_before=()
	for name in "" "$@"; do
		measure_memory "$name"
		slab_before[${name:-dom0}]=$slab free_before[${name:-dom0}]=$free
	done
}

# assert_memory_kept ROUNDS [GUEST]: "slab_slack" KiB are allowed beside. At 100 rounds a
# leak of a page of slab in each would be a third more than its bound, a leak of the
# tables of one ring (100 KiB) twice as much as the other.
assert_memory_kept() {
	local rounds=$1 name key more less
	shift
	for name in "" "$@"; do
		key=${name:-dom0}
		measure_memory "$name"
		more=$((slab - ${slab_before[$key]})) less=$((${free_before[$key]} - free))
		say "$key: slab ${slab_before[$key]} KiB, then $slab; free ${free_before[$key]} KiB, then $free"
		((more < 200 + rounds + ${slab_slack:-0})) || fail "$key has $more KiB of slab more in use"
		((less < 2048 + 32 * rounds)) || fail "$key has $less KiB less free"
	done
}
