# The undo list in a process of its own: heals when the runner cannot, because it was killed.
#
# Run as `sh -c THIS watchdog LOG`. It is told over its input: `name`, `heal` and `verify` with what follows them (the
# commands quoted for a shell), then `firing`, `group N` (the kill command runs as that process group), `fired` (it has
# ended) and `healed`. When the input ends, the runner is dead: if a fault was fired and not healed, it is healed now,
# after its kill command was ended. It says `ready` on its output once it watches, and ends with 0 unless a fault stays
# unhealed. POSIX sh.

log=$1
command_s=15
verify_s=5
keep_trying_s=60
nl='
'
name=fault heal= verify= fired= may_run= group=

exec 3>>"$log" || exit 1
# What a terminal or a service manager sends to everybody is not for it.
trap '' INT TERM HUP QUIT USR1 USR2
session=
command -v setsid >/dev/null 2>&1 && session=setsid

note() {
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >&3 2>/dev/null
    return 0 # a full disk must not keep it from healing
}

# Seconds of a clock that is never set, where there is one.
now() {
    if read -r up rest 2>/dev/null </proc/uptime; then
        echo "${up%%.*}"
    else
        date +%s
    fi
}

pause() {
    sleep 0.05 2>/dev/null || sleep 1
}

# run SECONDS COMMAND...: its exit status, or 124 when it took longer and was ended with all that it had started.
run() {
    limit=$1
    shift
    # The signals are as usual for what it runs.
    (trap - INT TERM HUP QUIT USR1 USR2 && exec 4>&- && exec $session "$@") </dev/null >&3 2>&3 &
    child=$!
    began=$(now)
    while kill -0 "$child" 2>/dev/null; do
        if [ $(($(now) - began)) -gt "$limit" ]; then
            kill -s KILL -- "-$child" 2>/dev/null || kill -s KILL "$child" 2>/dev/null
            wait "$child" 2>/dev/null
            return 124
        fi
        pause
    done
    wait "$child" 2>/dev/null
}

proved() {
    asked=$(now)
    while :; do
        eval "run $verify_s $verify" && return 0
        status=$?
        if [ $(($(now) - asked)) -ge "$verify_s" ]; then
            note "proof of the heal: exit status $status"
            return 1
        fi
        pause
    done
}

heal_once() {
    if [ -n "$heal" ]; then
        eval "run $command_s $heal"
        status=$?
        note "heal: exit status $status"
        [ -n "$verify" ] || return $status
    fi
    proved
}

mend() {
    if [ -z "$heal$verify" ]; then
        note "$name has no heal: nothing to do"
        return 0
    fi
    if [ -n "$may_run" ] && [ -n "$group" ]; then
        kill -s KILL -- "-$group" 2>/dev/null || kill -s KILL "$group" 2>/dev/null
    fi
    mending=$(now)
    while :; do
        if heal_once; then
            if [ -z "$may_run" ]; then
                note "$name is HEALED"
                return 0
            fi
            # What it had started elsewhere may have struck after the heal.
            may_run=
        elif [ $(($(now) - mending)) -ge "$keep_trying_s" ]; then
            note "$name is NOT HEALED after $keep_trying_s s of trying: heal it by hand"
            return 1
        fi
        sleep 1
    done
}

echo ready
exec >/dev/null 2>&1
while IFS= read -r line; do
    case $line in
        'name '*) name=${line#name } ;;
        'heal '*) heal=${line#heal } ;;
        'verify '*) verify=${line#verify } ;;
        firing)
            fired=yes may_run=yes
            note "$name is being fired"
            ;;
        'group '*) group=${line#group } ;;
        fired) may_run= ;;
        healed)
            note "$name: the runner has healed it"
            exit 0
            ;;
    esac
done
note 'the runner is gone: its pipe has ended'
[ -z "$fired" ] || mend
