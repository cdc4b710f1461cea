# The undo list in a process of its own: heals when the runner cannot, because it was killed or because it hangs.
#
# Run as `sh -c THIS watchdog LOG [LOCK...]`. It locks the files LOCK, which are there, says `ready` (or
# `busy LOCK`, or `no flock`) on its output, and reads lines from its input: `name`, `heal`, `verify` and `release` with
# what follows them (the commands quoted for a shell), `mark` with the point (without a time) that tells of its heal,
# then `firing`, `group N` (the kill command runs as that process group), `fired` (it has ended), `within N` (the heal begins so many hundredths of a second from now at the latest),
# `beat` (the runner is alive), `healing` (again and again), `healed`, `claimed` and `released`. When the input
# ends, the runner is dead. When the heal is overdue, or the runner is silent for too long, it hangs: stopped by a signal, say. In both cases a
# fault that was fired and not healed is healed now, after its kill command was ended. The locks are held until the
# input ends and, like the claim, at least until then. `name` begins the words of another fault, if none was fired. It ends with 0 unless a fault stays unhealed. POSIX sh, and flock of util-linux for the locks.

log=$1
shift
# In seconds.
command_s=15
verify_s=5
# In hundredths of a second.
overdue=200
silent=2000
retry=100
keep_trying=6000
slow_retry=1000
longest=2160000
nl='
'
name=fault heal= verify= release= mark=
fired= may_run= group= heal_by= healed= claimed= gone=
mending= mended= failed= began=0 tried=0 heard=0

exec 3>>"$log" || exit 1
# What a terminal or a service manager sends to everybody is not for it.
trap '' INT TERM HUP QUIT USR1 USR2 TSTP
session=
command -v setsid >/dev/null 2>&1 && session=setsid

note() {
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >&3 2>/dev/null
    return 0 # a full disk must not keep it from healing
}

# Hundredths of a second of a clock that is never set, where there is one.
now() {
    if read -r up rest 2>/dev/null </proc/uptime; then
        echo "${up%%.*}${up#*.}"
    else
        echo "$(date +%s)00"
    fi
}

pause() {
    sleep 0.05 2>/dev/null || sleep 1
}

# run SECONDS COMMAND...: its exit status, or 124 when it took longer and was ended with all that it had started.
run() {
    limit=$(($1 * 100))
    shift
    # The signals are as usual for what it runs, and no lock is held by it.
    (trap - INT TERM HUP QUIT USR1 USR2 TSTP && exec 5>&- && exec $session "$@") </dev/null >&3 2>&3 &
    child=$!
    started=$(now)
    while kill -0 "$child" 2>/dev/null; do
        if [ $(($(now) - started)) -gt "$limit" ]; then
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
        if [ $(($(now) - asked)) -ge $((verify_s * 100)) ]; then
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

why_it_hangs() {
    at=$(now)
    if [ -n "$heal_by" ] && [ "$at" -gt "$heal_by" ]; then
        echo "its heal is overdue by $(((at - heal_by + overdue) / 100)) s"
    elif [ $((at - heard)) -gt "$silent" ]; then
        echo "it was silent for $(((at - heard) / 100)) s"
    fi
}

begin_mending() {
    mending=yes began=$(now)
    if [ -z "$heal$verify" ]; then
        note "$name has no heal: nothing to do"
        mended=yes
    elif [ -n "$may_run" ] && [ -n "$group" ]; then
        kill -s KILL -- "-$group" 2>/dev/null || kill -s KILL "$group" 2>/dev/null
    fi
}

# A point of the run: its report would say that the target may still be broken.
tell_the_run() {
    [ -n "$mark" ] || return 0
    at=$(date +%s%N)
    case $at in
        *[!0-9]* | ?????????? | '') at=$(date +%s)999999999 ;; # this date knows no nanoseconds
    esac
    printf '%s %s\n' "$mark" "$at" >>"${log%/*}/journal-watchdog.lp"
    return 0
}

# One more try, if it is time for one.
mend() {
    trying=$(($(now) - began))
    every=$retry
    [ "$trying" -le "$keep_trying" ] || every=$slow_retry
    [ "$tried" -eq 0 ] || [ $(($(now) - tried)) -ge "$every" ] || return 0
    if heal_once; then
        if [ -z "$may_run" ]; then
            note "$name is HEALED"
            tell_the_run
            mended=yes
        fi
        # What it had started elsewhere may have struck after the heal: then once more.
        may_run=
    elif [ "$trying" -ge "$longest" ]; then
        note "$name is NOT HEALED after $((longest / 360000)) hours: heal it by hand"
        failed=yes
    fi
    tried=$(now)
}

look() {
    [ -n "$fired" ] && [ -z "$healed$mended$failed" ] || return 0
    if [ -z "$mending" ]; then
        if [ -n "$gone" ]; then
            begin_mending
        else
            why=$(why_it_hangs)
            [ -n "$why" ] || return 0
            note "the runner hangs: $why"
            begin_mending
        fi
    fi
    [ -n "$mended" ] || mend
}

is_over() {
    [ -n "$gone" ] || return 1
    [ -z "$fired" ] || [ -n "$healed$mended$failed" ]
}

follow() {
    heard=$(now)
    while ! is_over; do
        if ! IFS= read -r line; then
            line=gone
            sleep 1
        fi
        [ "$line" = tick ] || heard=$(now)
        case $line in
            'name '*) name=${line#name } heal= verify= release= mark= ;;
            'heal '*) heal=${line#heal } ;;
            'verify '*) verify=${line#verify } ;;
            'release '*) release=${line#release } ;;
            'mark '*) mark=${line#mark } ;;
            firing)
                fired=yes may_run=yes
                note "$name is being fired"
                ;;
            'group '*)
                group=${line#group }
                # A runner that stood still, and for which all was healed meanwhile, strikes now.
                may_run=yes mending= mended=
                ;;
            fired) may_run= ;;
            'within '*) heal_by=$((heard + ${line#within } + overdue)) ;;
            healing) heal_by=$((heard + overdue)) ;;
            healed)
                healed=yes
                note "$name: the runner has healed it"
                ;;
            claimed) claimed=yes ;;
            released) claimed= ;;
            gone)
                [ -n "$gone" ] || note 'the runner is gone: its pipe has ended'
                gone=yes
                ;;
        esac
        look
    done
    if [ -n "$claimed" ] && [ -n "$release" ]; then
        eval "run $command_s $release"
        note "release: exit status $?"
    fi
    [ -z "$failed" ] || [ -n "$healed" ]
}

tick() {
    while echo tick; do
        sleep 0.5 2>/dev/null || sleep 1
    done
}

# Hands on what the runner says, and the time that passes while a fault is in force.
relay() {
    ticking=
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in
            firing)
                (exec 5>&- && tick) &
                ticking=$!
                ;;
            healed) [ -z "$ticking" ] || kill -s KILL "$ticking" 2>/dev/null ;;
        esac
    done
    echo gone
}

watch() {
    echo ready
    exec 2>/dev/null
    relay | follow >/dev/null
}

# Each lock is held by a shell of its own, the next inside of it: a POSIX shell has few descriptors.
lock_and_watch() {
    if [ $# -eq 0 ]; then
        watch
        return
    fi
    (
        # Not for writing: the shell would do that with O_CREAT, which Linux refuses for another user's file.
        exec 5<"$1" || exit 1
        flock -n 5 || { echo "busy $1" && exit 1; }
        # A lock on a file that was removed meanwhile excludes no other run.
        [ "$1" -ef /dev/fd/5 ] || exit 1
        shift
        lock_and_watch "$@"
    )
}

if [ $# -gt 0 ] && ! command -v flock >/dev/null 2>&1; then
    echo 'no flock'
    exit 1
fi
lock_and_watch "$@"
