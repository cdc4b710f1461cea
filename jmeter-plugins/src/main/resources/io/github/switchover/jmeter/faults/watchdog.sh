# The undo list in a process of its own: heals when the runner cannot, because it was killed or because it hangs.
#
# Run as `sh -c THIS watchdog LOG [LOCK...]`. It locks the files LOCK, which are there, says `ready` (or
# `busy LOCK`, or `no flock`) on its output, and reads lines from its input: `name`, `heal`, `verify`, `release`,
# `disarm` and `down` with what follows them (the commands quoted for a shell), `mark` and `relapse` with the points (without a time)
# that tell of its heal, and that what was healed was in force again, then `firing`, `group N` (the kill command runs as that process group), `fired` (it has ended), `within N` (the heal begins so many hundredths of a second from now at the latest),
# `beat` (the runner is alive), `healing` (again and again), `healed`, `claimed` and `released`. When the input
# ends, the runner is dead. When the heal is overdue, or the runner is silent for too long, it hangs: stopped by a signal, say. In both cases a
# fault that was fired and not healed is healed now, after its kill command was ended with all that it had started. What
# is healed it looks at until the input ends: where the fault is in force again, by something that the kill has left on
# a node, it is healed again. The locks are held until the
# input ends and, like the claim, at least until then. `name` begins the words of another fault, if none was fired. It ends with 0 unless a fault stays unhealed. POSIX sh, and flock of util-linux for the locks.

log=$1
shift
# In seconds.
command_s=15
verify_s=5
# In hundredths of a second.
patience=300
watch=200
overdue=200
silent=2000
retry=100
keep_trying=6000
slow_retry=1000
longest=2160000
nl='
'
name=fault heal= verify= release= disarm= down= mark= relapse=
heals= ended= worked= again= looked=0
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
            end_group "$child"
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

# One more heal, beside those that hang.
start_heal() {
    (trap - INT TERM HUP QUIT USR1 USR2 TSTP && exec 5>&- && exec $session "$@") </dev/null >&3 2>&3 &
    heal_began=$(now)
    heals="$heals $!:$heal_began"
}

end_group() {
    kill -s KILL -- "-$1" 2>/dev/null || kill -s KILL "$1" 2>/dev/null
    wait "$1" 2>/dev/null
}

# Sets `ended` where a heal has ended, `worked` where one has with 0. One that takes too long is ended.
take_ended() {
    left=
    for one in $heals; do
        child=${one%:*}
        if kill -0 "$child" 2>/dev/null && [ $(($(now) - ${one#*:})) -le $((command_s * 100)) ]; then
            left="$left $one"
            continue
        fi
        status=124
        if kill -0 "$child" 2>/dev/null; then
            end_group "$child"
        else
            wait "$child" 2>/dev/null
            status=$?
        fi
        note "heal: exit status $status"
        ended=yes
        [ "$status" -ne 0 ] || worked=yes
    done
    heals=$left
}

# True unless heals had to be ended that have perhaps left something half done.
end_heals() {
    [ -n "$heals" ] || return 0
    for one in $heals; do
        end_group "${one%:*}"
    done
    heals=
    return 1
}

proved_once() {
    [ -n "$verify" ] && eval "run $verify_s $verify"
}

# A heal may be run twice, so one that hangs is not waited for: another begins beside it.
heal_once() {
    if [ -z "$heal" ]; then
        proved
        return
    fi
    heals= ended= worked= hanging=$patience
    eval "start_heal $heal"
    while :; do
        take_ended
        if [ -n "$worked" ]; then
            [ -z "$verify" ] || proved || break
            end_heals && return 0
            [ -z "$verify" ] || proved
            return
        fi
        late=
        [ $(($(now) - heal_began)) -lt "$hanging" ] || late=yes
        if [ -n "$ended$late" ] && proved_once; then
            end_heals || proved
            return
        fi
        if [ -z "$heals" ]; then
            break
        fi
        if [ -n "$late" ]; then
            note 'the heal hangs: another begins beside it'
            hanging=$((hanging * 2))
            eval "start_heal $heal"
        fi
        pause
    done
    end_heals
    return 1
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
        note "$name has no heal command, so the watchdog does nothing"
        mended=yes
    elif [ -n "$may_run$down" ]; then
        end_leftovers
    fi
}

# What the kill has started and left running here.
end_leftovers() {
    if [ -n "$group" ]; then
        kill -s KILL -- "-$group" 2>/dev/null || kill -s KILL "$group" 2>/dev/null
        group=
    fi
}

# Whether the fault is there again although it was healed.
look_again() {
    [ -n "$down" ] && [ -n "$verify" ] && [ -n "$healed$mended" ] || return 0
    [ -n "$gone" ] || [ $(($(now) - looked)) -ge "$watch" ] || return 0
    looked=$(now)
    proved_once && return 0
    eval "run $verify_s $down" || return 0
    note "$name is in force again after its heal"
    tell_the_run "$relapse"
    healed= mended= mending= again=yes
}

# A point of the run: its report would say that the target may still be broken.
tell_the_run() {
    [ -n "$1" ] || return 0
    at=$(date +%s%N)
    case $at in
        *[!0-9]* | ?????????? | '') at=$(date +%s)999999999 ;; # this date knows no nanoseconds
    esac
    printf '%s %s\n' "$1" "$at" >>"${log%/*}/journal-watchdog.lp"
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
            tell_the_run "$mark"
            # The dead-man would heal in the middle of the next drill.
            [ -z "$disarm" ] || eval "run $command_s $disarm" || note "disarm: exit status $?"
            again=
            mended=yes
        fi
        # What it had started elsewhere may have struck after the heal: then once more.
        may_run=
    elif [ "$trying" -ge "$longest" ]; then
        note "$name is NOT HEALED after $((longest / 360000)) hours: heal the fault by hand"
        failed=yes
    fi
    tried=$(now)
}

look() {
    # Once the group is empty, its number may become another's.
    [ -z "$group" ] || [ -n "$may_run" ] || kill -s 0 -- "-$group" 2>/dev/null || group=
    look_again
    [ -n "$fired" ] && [ -z "$healed$mended$failed" ] || return 0
    if [ -z "$mending" ]; then
        if [ -n "$gone$again" ]; then
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
            'name '*) name=${line#name } heal= verify= release= disarm= down= mark= relapse= ;;
            'heal '*) heal=${line#heal } ;;
            'verify '*) verify=${line#verify } ;;
            'release '*) release=${line#release } ;;
            'disarm '*) disarm=${line#disarm } ;;
            'down '*) down=${line#down } ;;
            'mark '*) mark=${line#mark } ;;
            'relapse '*) relapse=${line#relapse } ;;
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
            healing)
                heal_by=$((heard + overdue))
                [ -z "$down" ] || end_leftovers
                ;;
            healed)
                healed=yes
                note "$name: the runner has healed the fault"
                ;;
            claimed) claimed=yes ;;
            released) claimed= ;;
            gone)
                [ -n "$gone" ] || note 'the runner is dead: its pipe has closed'
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

# Hands on what the runner says, and the time that passes from the fault on.
relay() {
    ticking=
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in
            firing)
                (exec 5>&- && tick) &
                ticking=$!
                ;;
        esac
    done
    [ -z "$ticking" ] || kill -s KILL "$ticking" 2>/dev/null
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
