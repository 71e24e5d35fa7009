#!/bin/bash
# Start a Godwit node on each machine of a Slurm job, and keep them until the
# job ends. The cluster's directory is on a shared file system; the nodes' data are on
# each machine's own disk. The first machine's node keeps the cluster's records.
#
#   sbatch --nodes=5 deploy/slurm.sh            start
#   godwit load big.parquet --as big --cluster $HOME/godwit-cluster
#   godwit status --cluster $HOME/godwit-cluster
#
#SBATCH --job-name=godwit
#SBATCH --ntasks-per-node=1
#SBATCH --time=08:00:00
set -euo pipefail

CLUSTER=${CLUSTER:-$HOME/godwit-cluster}
DATA=${DATA:-/tmp/godwit-$SLURM_JOB_ID}
PORT=${PORT:-7411}
GODWIT=${GODWIT:-godwit}

mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
address() { getent ahostsv4 "$1" | awk 'NR == 1 { print $1 }'; }
first=$(address "${hosts[0]}")

identities=()
for h in "${hosts[@]}"; do identities+=(--node "$h=$h/$(address "$h")"); done
"$GODWIT" cluster --cluster "$CLUSTER" --etcd "$first:$((PORT + 2))" "${identities[@]}"

export CLUSTER DATA PORT GODWIT first
# One process a machine. The first one is etcd's only member, the others are its
# clients; --kill-on-bad-exit=0 lets the others go on when one fails.
srun --kill-on-bad-exit=0 bash -c '
  host=$(hostname -s)
  self=$(getent ahostsv4 "$host" | awk "NR == 1 { print \$1 }")
  control=(--etcd "$first:$((PORT + 2))")
  if [ "$self" = "$first" ]; then
    control=(--control "$self:$((PORT + 2))" --control-peer "$self:$((PORT + 3))" --control-members "$host=$self:$((PORT + 3))")
  fi
  mkdir -p "$DATA"
  exec "$GODWIT" node --name "$host" --dir "$DATA" --identity "$CLUSTER/nodes/$host/identity" \
    --listen "$self:$PORT" --metrics "$self:$((PORT + 1))" "${control[@]}"
'
