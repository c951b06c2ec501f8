# Runs on the machine under test: sh -s -- seatrial-boot ID [DIR [NAME]] | seatrial-look ID [DIR] | seatrial-leave ID [DIR]
# POSIX sh and BusyBox only. Prints one JSON line. Nothing may read standard input: it is this file.
umask 077

say() {
    printf '{"seatrial":1,%s}\n' "$1"
}

text() {
    printf '%s' "$1" | tr -d '\000-\037' | sed 's/[\\"]/\\&/g'
}

# Folders in which ours may be made, one a line, best first.
bases() {
    for base in "$wanted" "${TMPDIR:-}" /tmp "${HOME:-}" /var/tmp /dev/shm "$(pwd)"; do
        case $base in
        /*) printf '%s\n' "${base%/}" ;;
        esac
    done
}

ours() {
    [ -d "$1" ] && [ ! -h "$1" ] && [ -O "$1" ] && [ -f "$1/.seatrial" ]
}

# Prints the folder that is there already.
find_ours() {
    bases | while IFS= read -r base; do
        if ours "$base/seatrial-$id"; then
            printf '%s\n' "$base/seatrial-$id"
            break
        fi
    done
}

# Prints a new folder in the first place that takes 16 MiB.
make_ours() {
    bases | while IFS= read -r base; do
        new=$base/seatrial-$id
        [ -d "$base/" ] && mkdir "$new" 2>/dev/null || continue
        if dd if=/dev/zero of="$new/.space" bs=65536 count=256 2>/dev/null && printf '%s\n' "$name" >"$new/.seatrial" 2>/dev/null; then
            rm -f "$new/.space"
            printf '%s\n' "$new"
            break
        fi
        rm -rf "$new"
    done
}

# Prints the real path of a Python that will do.
try_python() {
    [ -n "$1" ] || return 1
    "$1" -c 'import sys
if sys.version_info < (3, 8): sys.exit(1)
import ctypes, fcntl, hashlib, json, tarfile, zipimport
print(sys.executable)' </dev/null 2>/dev/null | {
        IFS= read -r real
        case $real in
        /*) printf '%s\n' "$real" ;;
        *) return 1 ;;
        esac
    }
}

find_python() {
    for program in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python3.9 python3.8 python; do
        try_python "$(command -v "$program" 2>/dev/null)" && return 0
    done
    for program in /opt/conda/bin/python3 /root/miniconda3/bin/python3 "${HOME:-/}/miniconda3/bin/python3" \
        "${HOME:-/}/anaconda3/bin/python3" /opt/*/.venv/bin/python3 /opt/*/bin/python3 /venv/*/bin/python3 \
        /usr/local/bin/python3 /usr/bin/python3; do
        [ -x "$program" ] && try_python "$program" && return 0
    done
    if command -v bash >/dev/null 2>&1; then
        try_python "$(bash -lc 'command -v python3' </dev/null 2>/dev/null | sed -n '$p')" && return 0
    fi
    return 1
}

boot() {
    dir=$(find_ours)
    [ -n "$dir" ] || dir=$(make_ours)
    python=$(find_python)
    say "\"type\":\"boot\",\"python\":\"$(text "$python")\",\"dir\":\"$(text "$dir")\",\"user\":\"$(text "$(id -un 2>/dev/null || id -u)")\""
}

look() {
    say "\"type\":\"look\",\"dir\":\"$(text "$(find_ours)")\""
}

# Processes that carry the mark of a run in our folder.
marked() {
    for env in /proc/[0-9]*/environ; do
        if tr '\000' '\n' <"$env" 2>/dev/null | grep -q "^SEATRIAL_RUN=.*/seatrial-$id/"; then
            env=${env#/proc/}
            printf '%s\n' "${env%/environ}"
        fi
    done 2>/dev/null
}

leave() {
    for pid in $(marked); do
        kill -9 "$pid" 2>/dev/null
    done
    dir=$(find_ours)
    [ -z "$dir" ] || rm -rf "$dir" 2>/dev/null
    left=
    for pid in $(marked); do
        left="$left process $pid"
    done
    dir=$(find_ours)
    [ -z "$dir" ] || left="$left folder $dir"
    say "\"type\":\"leave\",\"left\":\"$(text "${left# }")\""
}

main() {
    mode=$1 id=$2 wanted=${3:-} name=${4:-}
    case $mode in
    seatrial-boot) boot ;;
    seatrial-look) look ;;
    seatrial-leave) leave ;;
    esac
}

main "$@"
exit 0
