# shellcheck shell=bash
# The image cache: where a product lies, and the key that says it is current.
# A product is what recipes/NAME makes; its key hashes all that the recipe's
# "# inputs:" line names.

images_src=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XENBLK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xen-blk}
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

package_version() {
	apt-cache policy "$1" | awk '$1 == "Candidate:" { print $2 }'
}

# Prints one line for each input, in the words of the "# inputs:" line.
describe_input() {
	local kind=${1%%:*} name=${1#*:}
	case $kind in
	file) cat "$images_src/$name" ;;
	tree) find "$images_src/$name" -type f | sort | xargs cat ;;
	package) echo "$name $(package_version "$name")" ;;
	kernel) echo "$release $(package_version "linux-image-$release")" ;;
	product) product_key "$name" && echo "${known_keys[$name]}" ;;
	*) die "unknown kind of input: $1" ;;
	esac
}

# Leaves the key in known_keys: a subshell could not remember it.
product_key() {
	local name=$1 inputs input
	[[ ${known_keys[$name]:-} ]] && return
	inputs=$(sed -n 's/^# inputs: //p' "$images_src/recipes/$name")
	for input in $inputs; do
		[[ $input == product:* ]] && product_key "${input#product:}"
	done
	known_keys[$name]=$({
		cat "$images_src/recipes/$name"
		for input in $inputs; do describe_input "$input"; done
	} | sha256sum | cut -c1-12)
}

product_dir() {
	echo "$cache/$1-${known_keys[$1]}"
}

# Sets the keys of all products; after it product_dir answers for each.
find_products() {
	local recipe
	release=$(kernel_release)
	for recipe in "$images_src"/recipes/*; do
		product_key "$(basename "$recipe")"
	done
}
