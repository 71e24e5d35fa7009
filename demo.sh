#!/usr/bin/env bash
# The main programs on real data: answers, plans and times; then on a cluster.
set -euo pipefail
cd "$(dirname "$0")/examples"
godwit=../bin/godwit

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() {
	printf '$ godwit %s\n' "$*"
	"$godwit" "$@"
}

say "1. One sum, three ways to say where the vector lies"
for f in slice placed ranged; do
	tail -n +1 "sum/$f.gw"
	show run --stats "sum/$f.gw" v=sum/floats.npy
done

say "2. How late are late flights, by distance? 200,000 US flights, Arrow and Parquet"
cat flights/mean_delay.gw
show run --stats flights/mean_delay.gw f=flights/flights-200k.arrow
show run --stats flights/mean_delay.gw f=flights/flights-200k.parquet

say "3. From dog (10815) up to entity, in WordNet"
cat wordnet/ancestor.gw
show run --stats wordnet/ancestor.gw parent=wordnet/hypernym.npy start=10815 steps=13
printf 'line %s of the names: ' 1
head -n 1 wordnet/hypernym.names.txt

say "4. What runs where, and why"
show explain flights/mean_delay.gw f=flights/flights-200k.parquet --stages | sed -n '/^Buffers/,$p'

say "5. The same programs on a cluster of four nodes"
GODWIT_CLUSTER=$(mktemp -d)
export GODWIT_CLUSTER
"$godwit" up -n 4 >"$GODWIT_CLUSTER/up.log" 2>&1 &
up=$!
finish() {
	kill -INT "$up" 2>/dev/null || true
	wait "$up" || true
	rm -rf "$GODWIT_CLUSTER"
}
trap finish EXIT
# travel shows of --json where the work was done and what went there.
travel() { sed -n 's/^.*"nodes":/  "nodes":/; s/}$//p'; }
for _ in $(seq 300); do
	grep -q 'are ready' "$GODWIT_CLUSTER/up.log" && break
	kill -0 "$up" 2>/dev/null || break
	sleep 0.1
done
printf '$ godwit up -n 4 &\n'
cat "$GODWIT_CLUSTER/up.log"
kill -0 "$up"
show load wordnet/hypernym.npy --as hypernym --shards 4
show load flights/flights-200k.parquet --as flights --shards 3

say "6. From 80000 up to entity, from shard to shard; the code travels once (code_bytes)"
for _ in 1 2; do
	"$godwit" run --json --strategy ship wordnet/ancestor.gw parent=@hypernym start=80000 steps=13 | travel
done

say "7. The mean delays again, beside the three shards: the same bits"
for _ in 1 2; do
	"$godwit" run --json flights/mean_delay.gw f=@flights | travel
done
show run flights/mean_delay.gw f=@flights
show status
