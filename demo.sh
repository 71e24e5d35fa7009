#!/usr/bin/env bash
# The main programs on real data: answers, plans and times.
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
show explain flights/mean_delay.gw f=flights/flights-200k.parquet | sed -n '/^Buffers/,$p'
