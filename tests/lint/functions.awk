# SPDX-License-Identifier: GPL-2.0-only
# Lists the functions of C and bash files: "file:line: lines name".
#
# A C function is what has its opening brace at column 0; macros do not count.
# The lines are those between the braces.

function name_of(text) {
	sub(/[ \t]*\(.*/, "", text)
	sub(/.*[ \t*]/, "", text)
	return text
}

FNR == 1 { start = 0; head = "" }

!start && /^\{[ \t]*$/ && head ~ /\(/ { start = FNR; name = name_of(head); next }
!start && /^[A-Za-z_][A-Za-z0-9_-]*\(\) \{$/ { start = FNR; name = name_of($0); next }

start && /^\}/ {
	printf "%s:%d: %d %s\n", FILENAME, start, FNR - start - 1, name
	start = 0
	head = ""
	next
}

!start && (/^[ \t]*$/ || /^#/ || /;[ \t]*$/ || /^\}/) { head = ""; next }
!start { head = head " " $0 }
