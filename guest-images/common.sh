# shellcheck shell=bash
# The image cache: where a product lies, and the key that says it is current.
# A product is what recipes/NAME makes; its key hashes all that the recipe's
# "# inputs:" line names.

images_src=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XENBLK_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/xen-blk}
declare -A known_keys=()

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# The images run the kernel that the modules are built against.
kernel_release() {
	local headers=${KDIR:-}
	[[ $headers ]] || headers=$(find /usr/src -maxdepth 1 -name 'linux-headers-*-amd64' 2>/dev/null | sort -V | tail -n 1)
	[[ $headers ]] || die "no kernel headers: run tests/lib/install-deps"
	basename "$headers" | sed 's/^linux-headers-//'
}

# One query for all packages: each costs half a second.
find_versions() {
	local packages
	packages=$(sed -n 's/^# inputs: //p' "$images_src"/recipes/* | grep -o 'package:[^ ]*' | cut -d: -f2 | sort -u)
	# shellcheck disable=SC2086
	versions=$(apt-cache policy $packages "linux-image-$release" |
		awk '/^[^ ]/ { name = $1 } $1 == "Candidate:" { print name, $2 }')
}

package_version() {
	grep "^$1: " <<<"$versions" || die "apt knows no package $1: run apt-get update"
}

# Prints one line for each input, in the words of the "# inputs:" line.
describe_input() {
	local kind=${1%%:*} name=${1#*:}
	case $kind in
	file) cat "$images_src/$name" ;;
	tree) find "$images_src/$name" -type f | sort | xargs cat ;;
	package) package_version "$name" ;;
	kernel) package_version "linux-image-$release" ;;
	product) echo "${known_keys[$name]}" ;;
	*) die "unknown kind of input: $1" ;;
	esac
}

# Leaves the key in known_keys: a subshell could not remember it.
product_key() {
	local name=$1 inputs input description
	[[ ${known_keys[$name]:-} ]] && return
	inputs=$(sed -n 's/^# inputs: //p' "$images_src/recipes/$name")
	for input in $inputs; do
		[[ $input == product:* ]] && product_key "${input#product:}"
	done
	description=$(
		cat "$images_src/recipes/$name"
		for input in $inputs; do describe_input "$input" || exit; done
	) || die "no key for $name"
	known_keys[$name]=$(sha256sum <<<"$description" | cut -c1-12)
}

product_dir() {
	echo "$cache/$1-${known_keys[$1]}"
}

# Sets the keys of all products; after it product_dir answers for each.
find_products() {
	local recipe
	release=$(kernel_release)
	find_versions
	for recipe in "$images_src"/recipes/*; do
		product_key "$(basename "$recipe")"
	done
}
