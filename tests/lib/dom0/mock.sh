# shellcheck shell=bash
# The mock peers of tests/hostile/mock, which speak TAP.

# run_mock frontend|backend ARGUMENT...: each "not ok" line is a reason of its own.
run_mock() {
	local mock=$modules_dir/tests/hostile/bin/mock-$1
	shift
	[[ -x $mock ]] || harness_error "no $mock: make -C tests/hostile/mock"
	"$mock" "$@" >"$OUT/tap" || report_failed_checks
	say "$(tail -n 1 "$OUT/tap") checks"
}

report_failed_checks() {
	grep '^not ok' "$OUT/tap" | head -n 5 >>"$OUT/reason" || true
	fail "$(grep -c '^not ok' "$OUT/tap") checks failed; see tap"
}
