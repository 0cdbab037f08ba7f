# shellcheck shell=bash
# Which tests there are. A test says about itself, in comment lines at its top:
#   # conditions: A B      it runs once for each, as GROUP/NNN~A
#   # limit: SECONDS       for the body (120)
#   # long: REASON         only with --full
#   # long-conditions: B   these only with --full, or by name
#   # expect: VERDICT [PATTERN]   for tests of the runner itself

# Groups with a runner of their own.
other_groups='lib|lint|unit|results'

header() {
	sed -n "/^[^#]/q; s/^# $2: //p" "$top/tests/${1%~*}"
}

test_limit() {
	local limit
	limit=$(header "$1" limit)
	echo $((${limit:-120} * ${PATIENCE:-1}))
}

test_files() {
	local pattern=${1:-*}
	[[ $pattern == */* ]] || pattern+='/*'
	(cd "$top/tests" && compgen -G "${pattern%~*}" || true) | grep -E '^[a-z]+/[0-9]{3}$' |
		grep -Ev "^($other_groups)/" | sort || true
}

# with_conditions TEST ALL: if ALL is empty, without those that take long.
with_conditions() {
	local condition conditions left_out=''
	conditions=$(header "$1" conditions)
	[[ $2 ]] || left_out=" $(header "$1" long-conditions) "
	if [[ ! $conditions ]]; then
		echo "$1"
	else
		for condition in $conditions; do [[ $left_out == *" $condition "* ]] || echo "$1~$condition"; done
	fi
}

# list_tests FULL [NAME]...: one name a line; a name with a condition is taken alone, and
# one with a number however long it takes.
list_tests() {
	local full=$1 name file all
	shift
	for name in "${@:-*}"; do
		all=$full
		[[ $name != */* ]] || all=1
		for file in $(test_files "$name"); do
			if [[ ! $all && $(header "$file" long) ]]; then continue; fi
			with_conditions "$file" "$all" | { if [[ $name == *~* ]]; then grep -xF -- "$name" || true; else cat; fi; }
		done
	done
}

# A name that no test has is a slip of whoever gave it.
check_names() {
	local name
	for name in "$@"; do
		[[ $name && $(list_tests 1 "$name") ]] || { echo "tests/run: no test is called '$name'" >&2; return 2; }
	done
}

describe_tests() {
	local name
	while read -r name; do
		printf '%-28s %s\n' "$name" "$(header "$name" Guards)"
	done
}
