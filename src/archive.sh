#!/bin/sh
# Makes an archive that shows no hidden name: archive.sh INPUT OUTPUT FOLDER AR OBJCOPY COMPILER...
# All objects of the archive INPUT are linked into one, in which hidden names become local.
set -eu
input=$1 output=$2 folder=$3 ar=$4 objcopy=$5
shift 5
mkdir -p "$folder"
"$@" -r -nostdlib -o "$folder/atoll.o" -Wl,--whole-archive "$input" -Wl,--no-whole-archive
"$objcopy" --localize-hidden "$folder/atoll.o"
rm -f "$output"
"$ar" rcs "$output" "$folder/atoll.o"
