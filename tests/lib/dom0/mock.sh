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

# Leaves dom0 without a grant handle until hog_end.
hog_start() {
	local hog=$modules_dir/tests/hostile/bin/mock-hog said
	[[ -x $hog ]] || harness_error "no $hog: make -C tests/hostile/mock"
	exec {hog_output}< <(exec "$hog" 2>&1)
	hog_pid=$!
	defer hog_end
	read -r -t $((60 * PATIENCE)) said <&"$hog_output" || harness_error "the hog says nothing"
	[[ $said == *" handles" ]] || harness_error "the hog failed: $said"
	say "the hog has $said"
}

hog_end() {
	forget hog_end
	kill "$hog_pid"
	tail --pid="$hog_pid" -f /dev/null
	say "the hog has given its handles back"
}
