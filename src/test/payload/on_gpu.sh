#!/bin/sh
# Runs stages for real on a machine with a GPU and keeps their events: on_gpu.sh OUT_DIR STAGE...
# Each stage's specification is the file OUT_DIR/STAGE.json when it is there, else a short one.
set -eu
out=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
payload="$here/../../main/payload"
SEATRIAL_DIR=$(mktemp -d)/home
export SEATRIAL_DIR
mkdir -p "$out"
for stage in "$@"; do
    spec="$out/$stage.json"
    if [ ! -f "$spec" ]; then
        case $stage in
        stability) echo '{"limitSeconds":420,"stability":{"seconds":300}}' ;;
        task)
            cp -r "$here/fixtures/tiny-train" "$SEATRIAL_DIR-task"
            echo '{"limitSeconds":180,"task":{"dir":"'"$SEATRIAL_DIR-task"'","prepare":"python -V","command":"python train.py --steps 60",' \
                '"metrics":{"samples_per_s":{"regex":"samples/s=([0-9.]+)","unit":"samples/s","better":"higher"},"loss":{"json":"loss","use":"last","better":"lower"}}}}'
            ;;
        *) echo '{"quick":true,"limitSeconds":300}' ;;
        esac >"$spec"
    fi
    python3 "$payload" run "${stage%%-*}" --id "$stage" --spec "$spec"
    until python3 "$payload" poll "$stage" --from 0 | tail -n 1 | grep -q '"state":"\(ended\|lost\)"'; do sleep 1; done
    cp "$SEATRIAL_DIR/runs/$stage/events.jsonl" "$out/$stage.jsonl"
    python3 "$payload" collect "$stage" >"$out/$stage.tar"
    tail -n 1 "$out/$stage.jsonl"
done
python3 "$payload" clean
