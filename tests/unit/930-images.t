#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The image cache survives recipes that are killed or fail, with made-up recipes.
set -euo pipefail

images=$(cd "$(dirname "$0")/../../guest-images" && pwd)
. "$(dirname "$0")/tap.bash"

if ! unshare --mount true 2>/dev/null; then
	echo "1..0 # skip mounting is not allowed here"
	exit
fi

dir=$(mktemp -d)
stale=$dir/cache/partial-agent.old/root/sys
trap 'umount -q "$stale" 2>/dev/null || true; rm -rf --one-file-system "$dir"' EXIT
export XENBLK_CACHE=$dir/cache
cp -r "$images" "$dir/images"
for recipe in "$dir"/images/recipes/*; do
	printf '#!/usr/bin/env bash\n# inputs: package:bash\ntouch made\n' >"$recipe"
done

# What the agent's recipe does after it has mounted something.
agent_recipe() {
	printf '#!/usr/bin/env bash\n# inputs: package:bash\nmkdir root\nmount -t tmpfs none root\ntouch root/here\n%s\n' "$1" \
		>"$dir/images/recipes/agent"
}

# The status of a build.
build() {
	local status=0
	"$dir/images/build" >"$dir/built" 2>"$dir/said" || status=$?
	echo "$status"
}

count_mounts() {
	grep -c " $dir/" /proc/mounts || true
}

# shellcheck disable=SC2016
agent_recipe 'kill -KILL $$'
is "a killed recipe fails the build" 1 "$(build)"
is "its mounts went with it" 0 "$(count_mounts)"
is "nothing half made stays" 0 "$(find "$XENBLK_CACHE" -name 'partial-*' | wc -l)"

agent_recipe 'umount root; touch made'
mkdir -p "$stale"
mount -t tmpfs none "$stale"
touch "$stale/theirs"
is "somebody else's mount in the cache does not fail a build" 0 "$(build)"
is "all products are there" 8 "$(wc -l <"$dir/built")"
is "what is mounted there is left alone" "$stale/theirs" "$(ls "$stale/theirs")"
is "and it is said" 1 "$(grep -c 'some of what is stale stays' "$dir/said")"
umount "$stale"
is "the next build removes it" "0 0" "$(build) $(find "$XENBLK_CACHE" -name 'partial-*' | wc -l)"
finish
