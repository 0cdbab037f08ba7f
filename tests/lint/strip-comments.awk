# SPDX-License-Identifier: GPL-2.0-only
# Blanks the comments of C, and keeps every line where it is. With -v to=DIR
# each file goes to its place below that directory.

function strip(line,    out, at, two, quote) {
	out = ""
	quote = ""
	for (at = 1; at <= length(line); at++) {
		two = substr(line, at, 2)
		if (inside) {
			if (two == "*/") {
				inside = 0
				at++
			}
			continue
		}
		if (quote != "") {
			if (substr(two, 1, 1) == "\\") {
				out = out two
				at++
				continue
			}
			if (substr(two, 1, 1) == quote)
				quote = ""
		} else if (two == "/*") {
			inside = 1
			at++
			continue
		} else if (two == "//") {
			break
		} else if (two ~ /^["']/) {
			quote = substr(two, 1, 1)
		}
		out = out substr(two, 1, 1)
	}
	return out
}

FNR == 1 { inside = 0 }

to == "" { print strip($0) }
to != "" { print strip($0) > (to "/" FILENAME) }
