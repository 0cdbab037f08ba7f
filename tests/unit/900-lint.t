#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each of the project's own lint rules sees what it is for: a copy of the tree
# gets one violation, and exactly the finding about it must come. What there was
# to find before is `make lint`'s to tell, and does not count here.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
rules=$root/tests/lint/rules
copy=$(mktemp -d)
known=$(mktemp)
trap 'rm -rf "$copy" "$known"' EXIT
tests=0
failures=0

fresh_copy() {
	rm -rf "$copy"
	mkdir -p "$copy"
	(cd "$root" && git ls-files -z --cached --others --exclude-standard |
		tar --null -cf - --ignore-failed-read -T - 2>/dev/null) |
		tar -xf - -C "$copy"
	git -C "$copy" init -q
}

# verdict NAME WANTED FOUND: all findings, one a line.
verdict() {
	tests=$((tests + 1))
	if [[ $3 == "$2" ]]; then
		echo "ok $tests - $1"
	else
		echo "not ok $tests - $1"
		printf 'wanted: %s\nfound: %s\n' "$2" "$3" | sed 's/^/# /'
		failures=$((failures + 1))
	fi
}

lint() {
	{ "$rules" "$copy" || true; } | grep -vxF -f "$known" || true
}

# expect NAME FILE FINDING: what is on standard input goes to the end of FILE.
expect() {
	local name=$1 file=$2 finding=$3 lines=0

	[[ ! -f $copy/$file ]] || lines=$(wc -l <"$copy/$file")
	[[ ! -f $copy/$file ]] || cp "$copy/$file" "$copy/.saved"
	mkdir -p "$(dirname "$copy/$file")"
	cat >>"$copy/$file"
	verdict "$name" "${finding//LINE/$((lines + 1))}" "$(lint)"
	rm "$copy/$file"
	[[ ! -f $copy/.saved ]] || mv "$copy/.saved" "$copy/$file"
}

# expect_code FINDING CODE: one line of C at the end of a driver's file.
expect_code() {
	expect "$2" blkback/main.c "blkback/main.c:LINE: $1" <<<"$2"
}

# expect_none CODE [FILE]
expect_none() {
	expect "clean: ${1//$'\n'/ }" "${2:-blkback/main.c}" "" <<<"$1"
}

body() {
	local i

	for ((i = 0; i < $1; i++)); do
		printf '\tx++;\n'
	done
}

check_keys() {
	local literal='literal xenstore key: use common/keys.h'

	expect "a key that is not documented" common/keys.h \
		"common/keys.h:LINE: key fancy-node is not in xenstore-proto.md" \
		<<<'#define XENBLK_KEY_FANCY "fancy-node"'
	# shellcheck disable=SC2016 # the document's own quotes
	expect "a node that is not in the header" xenstore-proto.md \
		"xenstore-proto.md:LINE: node fancy-node is not in common/keys.h" \
		<<<'| `fancy-node` | 1 | 0 | never | no | none |'
	expect "a key that is defined twice" common/keys.h \
		"common/keys.h:LINE: key sectors is defined twice" \
		<<<'#define XENBLK_KEY_CAPACITY "sectors"'
	expect_code "$literal" 'static const char *a = "multi-queue-num-queues";'
	expect_code "$literal" 'static const char *b = "%s/queue-%u";'
	expect_code "$literal" 'x = xenbus_printf(xbt, dir, "fancy-node", "%u", 1);'
	expect_code "$literal" 'x = xenblk_xs_read_uint(dir, "fancy", 0, 1, &x);'
	expect_none '/* "multi-queue-num-queues" */'
	expect_none 'x = xenbus_printf(xbt, dir, XENBLK_KEY_SECTORS, "%llu", 1);'
}

check_forbidden_code() {
	local bug='a peer must not stop the kernel: no BUG, WARN or panic'
	local log='log through common/log.h'
	local call

	for call in 'BUG();' 'BUG_ON(x);' 'WARN_ON(x);' 'WARN_ON_ONCE(x);' \
		'WARN(1, "x");' 'panic("x");'; do
		expect_code "$bug" "$call"
	done
	for call in 'dev_err(&x, "y");' 'pr_info("x");' 'printk("x");' \
		'dev_warn_ratelimited(&x, "y");' 'pr_warn_once("x");'; do
		expect_code "$log" "$call"
	done
	for call in 'msleep(1);' 'ssleep(1);' 'mdelay(1);'; do
		expect_code 'no fixed sleep: wait for what you wait for' "$call"
	done
	expect_none 'BUILD_BUG_ON(sizeof(x) != 4);'
	expect_none '// BUG_ON(x), msleep(1)'
	expect_none 'xenblk_warn_ratelimited(xdev, "x");'
	expect_code 'kernel versions are known to common/compat.h only' \
		'#if LINUX_VERSION_CODE > 1'
	expect_none '/* LINUX_VERSION_CODE */'
}

check_rooms() {
	expect_code 'blkback must not include blkfront' '#include "../blkfront/blkfront.h"'
	expect "front includes back" blkfront/extra.h \
		"blkfront/extra.h:2: blkfront must not include blkback" <<'EOF'
/* SPDX-License-Identifier: GPL-2.0-only */
#include "blkback.h"
EOF
	expect "common includes a side" common/abi.h \
		"common/abi.h:LINE: common must not include blkback" \
		<<<'#include "../blkback/parse.h"'
}

check_ring() {
	local ring='the shared ring is touched in common/ring.h only'
	local barrier='barrier without a comment above it'

	expect_code "$ring" 'x = ring->sring->req_prod;'
	expect_code "$ring" 'x = READ_ONCE(back->ring.sring->rsp_event);'
	expect_none 'ring->sring = NULL;'
	expect_code "$barrier" 'virt_mb();'
	expect_code "$barrier" 'smp_wmb();'
	expect_code "$barrier" 'smp_mb__after_atomic();'
	expect_none $'/* Pairs with x(). */\nvirt_rmb();'
}

check_lengths() {
	local spdx='// SPDX-License-Identifier: GPL-2.0-only'

	expect "a function of 81 lines" blkback/main.c \
		"blkback/main.c:$(($(wc -l <"$root/blkback/main.c") + 2)): too_long is longer than 80 lines" \
		< <(printf 'static int too_long(void)\n{\n'; body 81; printf '}\n')
	expect "a function of 80 lines" blkback/main.c "" \
		< <(printf 'static int not_too_long(void)\n{\n'; body 80; printf '}\n')
	expect "a file of 601 lines" blkfront/long.c \
		"blkfront/long.c:601: longer than 600 lines" \
		< <(echo "$spdx"; body 600)
	expect "a high median" blkfront/long.c \
		"drivers:1: median function length is 13, above 12" \
		< <(echo "$spdx"; for ((i = 0; i < 25; i++)); do
			printf 'int f%u(void)\n{\n' $i; body 13; printf '}\n'
		done; many_functions)
}

# So many that they outweigh all functions that the drivers have.
many_functions() {
	local nr

	nr=$(cat "$root"/{common,blkback,blkfront}/*.[ch] | grep -c '^{$' || true)
	mkdir -p "$copy/blkfront"
	for ((; nr > -50; nr -= 35)); do
		{ echo '// SPDX-License-Identifier: GPL-2.0-only'
		  for ((i = 0; i < 35; i++)); do
			printf 'int f%u(void)\n{\n' $i
			body 13
			printf '}\n'
		  done; } >"$copy/blkfront/many$((nr + 50)).c"
	done
}

check_places() {
	rm -f "$copy"/blkfront/many*.c
	expect "a C file without licence" blkback/extra.c \
		"blkback/extra.c:1: no SPDX line at the top" <<<'int x;'
	expect "a file at the top level" extra.txt \
		"extra.txt:1: does not belong at the top level" <<<x
	expect "a folder at the top level" docs/page.md \
		"docs:1: does not belong at the top level" <<<x
	rmdir "$copy/docs"
	expect "a dotfile at the top level" .editorconfig "" <<<x
}

fresh_copy
"$rules" "$copy" >"$known" || true
check_keys
check_forbidden_code
check_rooms
check_ring
check_lengths
check_places
echo "1..$tests"
[[ $failures == 0 ]]
