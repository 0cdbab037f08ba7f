# SPDX-License-Identifier: GPL-2.0-only
# Makes a header of the numbers that spec-offsets.c leaves in its assembly.

/^[ \t]*\.ascii "@/ {
	gsub(/[@"]/, "")
	printf "#define SPEC%d_%s %s\n", bits, $2, $3
	found++
}

END {
	if (!found) {
		print "spec-offsets.awk: no numbers found" > "/dev/stderr"
		exit 1
	}
}
