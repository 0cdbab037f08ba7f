# shellcheck shell=bash
# Verdicts: pass, skip, error (the harness), fail (a driver), crash (none was given).

declare -A counts=([passed]=0 [failed]=0 [skipped]=0)
number=0 total=0

print_plan() {
	total=$1
	echo "KTAP version 1"
	echo "1..$total"
}

print_start() {
	number=$((number + 1))
	echo "# $1 ($number of $total)"
}

verdict_name() {
	case $1 in
	0) echo pass ;;
	1) echo fail ;;
	77) echo skip ;;
	255) echo crash ;;
	*) echo error ;;
	esac
}

reason_of() {
	head -n 1 "$results/$1/reason" 2>/dev/null || true
}

# Tests that fail for a known reason: "NAME VERDICT ISSUE" a line. One that passes
# after all fails the run, so that the list stays true.
expected_verdict() {
	local known
	known=$(awk -v name="$1" '$1 == name { print $2 }' "$top/tests/known-failures" 2>/dev/null || true)
	[[ $known ]] || known=$(header "$1" expect)
	echo "${known:-pass}"
}

# judge NAME STATUS SECONDS
judge() {
	local name=$1 seconds=$3 verdict reason expected pattern
	verdict=$(verdict_name "$2")
	reason=$(reason_of "$name")
	read -r expected pattern < <(expected_verdict "$name")
	echo "$verdict" >"$results/$name/verdict"
	echo "$name $verdict $seconds" >>"$results/times"
	if [[ $verdict == "$expected" && ( -z $pattern || $(cat "$results/$name/reason") =~ $pattern ) ]]; then
		count_line passed "ok $number $name # $seconds s${reason:+, as expected: $reason}"
	elif [[ $verdict == skip ]]; then
		count_line skipped "ok $number $name # SKIP $reason"
	else
		count_line failed "not ok $number $name # ${verdict^^} after $seconds s: ${reason:-see the log}"
		[[ ! -e $results/$name/log ]] || sed 's/^/# /' "$results/$name/log" | tail -n 25
		echo "# all of it: tests/results/$name/"
	fi
}

count_line() {
	counts[$1]=$((counts[$1] + 1))
	echo "$2"
}

# The plain last line, which counts in any language.
print_sum() {
	echo "# took $1 s"
	echo "${counts[passed]} passed, ${counts[failed]} failed, ${counts[skipped]} skipped"
	((counts[failed] == 0))
}

# last_sum FILE: what print_sum ended a run with; nothing where the run did not come so far.
last_sum() {
	grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1" | tail -n 1
}
