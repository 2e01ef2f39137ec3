#!/bin/sh
# A page behind a train: the whole file, also after an outage.
set -eu
folder=$(mktemp -d)
head -c 100000 /dev/zero > "$folder/file"
python3 -m http.server --bind 127.0.0.1 --directory "$folder" 18080 2> "$folder/log" &
server=$!
windward link --publish 18081:18080 --name "shell-$$" --profile train > "$folder/link" &
link=$!
trap 'kill -INT $link; kill $server; wait; rm -r "$folder"' EXIT
tries=0
until grep -qs runs "$folder/link"; do
  tries=$((tries + 1))
  test "$tries" -lt 100
  sleep 0.1
done

windward link ctl "shell-$$" down 1s
test "$(python3 -c 'import urllib.request as u; print(len(u.urlopen("http://127.0.0.1:18081/file").read()))')" = 100000
windward link ctl "shell-$$" report | grep -q '"lost"'
echo passed
