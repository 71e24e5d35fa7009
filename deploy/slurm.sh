#!/bin/bash
# Start a Godwit node on each machine of a Slurm job, and keep them until the job
# ends. The cluster's directory is on a shared file system; the nodes' data are
# on each machine's own disk, and live as long as the job. The first machine's
# node keeps the cluster's records.
#
#   sbatch --nodes=5 deploy/slurm.sh            start
#   godwit load big.parquet --as big --cluster $HOME/godwit-cluster
#   godwit status --cluster $HOME/godwit-cluster
#
#SBATCH --job-name=godwit
#SBATCH --ntasks-per-node=1
#SBATCH --time=08:00:00
set -euo pipefail

export CLUSTER=${CLUSTER:-$HOME/godwit-cluster}
export DATA=${DATA:-/tmp/godwit-$SLURM_JOB_ID}
export PORT=${PORT:-7411} # for parcels; the next three are for metrics and etcd
export GODWIT=${GODWIT:-godwit}

mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
export FIRST=${hosts[0]}

identities=()
for h in "${hosts[@]}"; do identities+=(--node "$h=$h:$PORT"); done
"$GODWIT" cluster --cluster "$CLUSTER" --etcd "$FIRST:$((PORT + 2))" "${identities[@]}"

# One process a machine. The first one is etcd's only member, the others are its
# clients, and try again until it is there. --kill-on-bad-exit=0 lets the others
# go on when one fails.
srun --kill-on-bad-exit=0 bash -c '
  host=$SLURMD_NODENAME
  mkdir -p "$DATA"
  node=("$GODWIT" node --name "$host" --dir "$DATA" --identity "$CLUSTER/nodes/$host/identity" \
    --listen "${LISTEN:-0.0.0.0}:$PORT" --advertise "$host:$PORT" --metrics "${LISTEN:-0.0.0.0}:$((PORT + 1))")
  if [ "$host" = "$FIRST" ]; then
    exec "${node[@]}" --control "$host:$((PORT + 2))" --control-peer "$host:$((PORT + 3))" --control-members "$host=$host:$((PORT + 3))"
  fi
  for _ in 1 2 3 4 5 6; do
    "${node[@]}" --etcd "$FIRST:$((PORT + 2))" && exit
    sleep 5
  done
  exit 1
'
