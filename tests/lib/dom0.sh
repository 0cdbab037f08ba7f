# shellcheck shell=bash
# What a test sources: it runs in dom0, under "set -e", and what it sets up is undone
# in reverse order when it ends. The verdict is its exit status.
set -euo pipefail

readonly status_fail=1 status_skip=77 status_error=99
run_dir=/run/xenblk
modules_dir=${MODULES:-/repo}
FRONT=${FRONT:-ours} BACK=${BACK:-ours} TRANSPORT=${TRANSPORT:-}
# Set by run-test: the part after "~" in the test's name, and the results folder.
CONDITION=${CONDITION:-} OUT=${OUT:-/tmp}
# Factor on every time limit, for machines that do other work beside.
PATIENCE=${PATIENCE:-1}
undo_list=()
mkdir -p "$run_dir"

lib_dir=$(dirname "${BASH_SOURCE[0]}")/dom0
for part in xenstore pair disks guests load mock; do
	# shellcheck disable=SC1090
	. "$lib_dir/$part.sh"
done

say() {
	echo "  [${SECONDS} s] $*"
}

# All three end the test, also from a subshell: "set -e" carries the status up.
fail() {
	echo "FAIL: $*" | tee -a "$OUT/reason" >&2
	exit "$status_fail"
}

skip() {
	echo "$*" >"$OUT/reason"
	exit "$status_skip"
}

harness_error() {
	echo "ERROR: $*" | tee -a "$OUT/reason" >&2
	exit "$status_error"
}

assert_equal() {
	local what=$1 want=$2 got=$3
	[[ $want == "$got" ]] || fail "$what: expected '$want', got '$got'"
}

# Kernel messages that this test provokes on purpose; a pattern of grep -E.
expect_kernel_message() {
	echo "$1" >>"$OUT/expected-messages"
}

defer() {
	undo_list+=("$(printf '%q ' "$@")")
}

# After the undo a step may be named again, by a test that does it itself.
forget() {
	local wanted entry kept=()
	wanted=$(printf '%q ' "$@")
	for entry in "${undo_list[@]}"; do
		[[ $entry == "$wanted" ]] || kept+=("$entry")
	done
	undo_list=("${kept[@]}")
}

# Undoes all so far, the last first; returns 1 if a step fails.
undo_steps() {
	local at step status=0
	for ((at = ${#undo_list[@]} - 1; at >= 0; at--)); do
		step=${undo_list[at]}
		(eval "$step") || { echo "undo failed: $step" | tee -a "$OUT/reason" && status=1; }
	done
	undo_list=()
	return "$status"
}

undo_all() {
	local status=$?
	trap - ERR
	set +e
	undo_steps || ((status)) || status=$status_fail
	exit "$status"
}

report_line() {
	echo "FAIL: line $2 of ${1##*/}: status $3" | tee -a "$OUT/reason" >&2
}

set -E
trap 'report_line "${BASH_SOURCE[0]:-script}" "$LINENO" "$?"' ERR
trap undo_all EXIT
