#!/usr/bin/env bash
#SBATCH --job-name=deepgemm-smoke
#SBATCH --array=0-@LAST@
#SBATCH --nodes=1
#SBATCH --gpus=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=64G
#SBATCH --time=01:00:00
#SBATCH --output=deepgemm-smoke-%A_%a.log
# Written by `dgpin ci slurm`. Run it in the host's directory, on a shared file system, with the
# environment active that has torch:
#     bash deepgemm-smoke.sh
# It submits itself as an array with one task for each architecture, each bound to the nodes that
# have the feature of that name (edit `features`), and a job that joins what they found. A build
# that is there already is named in DGPIN_BUILD.
set -euo pipefail

arches=(@ARCHES@)
features=(@ARCHES@)
package=@PACKAGE@
export DGPIN_PACKAGE="${DGPIN_PACKAGE:-$package}"

have_dgpin() {
  @INSTALL@
}

if [ "${1:-}" = report ]; then
  have_dgpin
  dgpin report evidence-*.json --require @REQUIRE@ -o text -o html=report.html -o markdown=report.md
elif [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  ARCH=${arches[$SLURM_ARRAY_TASK_ID]}
  have_dgpin
  @SMOKE@
else
  # The script of a running job is a copy elsewhere, so the second job names this one.
  script=$(realpath "$0")
  rm -f evidence-sm_*.json
  job=$(sbatch --parsable --hold "$script")
  job=${job%%;*}
  # Nobody would release an array that could not be bound to its nodes.
  trap 'scancel "$job"' ERR
  for task in "${!features[@]}"; do
    scontrol update JobId="${job}_$task" Features="${features[$task]}"
  done
  scontrol release "$job"
  trap - ERR
  sbatch --job-name=deepgemm-report --dependency=afterany:"$job" --time=00:10:00 \
    --output=deepgemm-report-%j.log --wrap="bash $(printf '%q' "$script") report"
fi
