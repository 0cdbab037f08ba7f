# SPDX-License-Identifier: GPL-2.0-only
# Which files the checks look at; sourced with the root of a tree as directory.
# shellcheck shell=bash

# What git knows and what it would take, less what was just deleted.
list_files() {
	git ls-files --cached --others --exclude-standard -- "$@" |
		sort -u | while IFS= read -r file; do
			[[ ! -f $file || -L $file ]] || printf '%s\n' "$file"
		done
}

list_c() {
	list_files '*.c' '*.h'
}

list_driver_c() {
	list_files 'common/*.[ch]' 'blkfront/*.[ch]' 'blkback/*.[ch]'
}

list_scripts() {
	list_files | xargs -r awk '
		FNR == 1 {
			if (/^#!.*[\/ ](ba)?sh$/ || FILENAME ~ /\.(ba)?sh$/)
				print FILENAME
			nextfile
		}'
}
