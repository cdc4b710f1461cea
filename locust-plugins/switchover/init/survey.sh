# Prints what a node runs, for `switchover init`. Reads only: it writes no file, sends no signal, starts no service.
# A line "@@ KEY [WORDS]" begins each answer; "@@ end" is the last line.
# POSIX sh. $1: seconds that one step may take.
# One group, so that the shell has read all of it before a command could read from the same input.
{
LC_ALL=C; export LC_ALL
PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin
limit=${1:-5}
key() { printf '\n@@ %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }
if have timeout; then within() { timeout "$limit" "$@" </dev/null; }; else within() { "$@" </dev/null; }; fi
sudo=
key begin 1
key user; id -un
key uid; id -u
key shell; printf '%s\n' "${SHELL:-}"
key hostname; hostname 2>/dev/null || cat /proc/sys/kernel/hostname
key machine_id; cat /etc/machine-id 2>/dev/null
key kernel; uname -sr
key sudo
if [ "$(id -u)" = 0 ]; then echo root
elif ! have sudo; then echo missing
elif within sudo -n true >/dev/null 2>&1; then echo yes; sudo='sudo -n'
else echo refused; fi
key tools; for tool in socat nc python3 systemctl systemd-run ip ping curl timeout docker podman; do have $tool && echo $tool; done
key init; cat /proc/1/comm 2>/dev/null
key container; [ -e /.dockerenv ] && echo docker; [ -e /run/.containerenv ] && echo podman; :
key address; within ip -o addr show 2>/dev/null
key route; within ip route show default 2>/dev/null

# As this user if that is enough, otherwise with sudo.
show() { if [ -r "$1" ]; then cat "$1"; elif [ -n "$sudo" ]; then within $sudo cat "$1" 2>/dev/null; else return 1; fi; }
file() { # file PROGRAM PATH
    if text=$(show "$2" 2>/dev/null); then key file "$1" "$2"; printf '%s\n' "$text"
    else key unreadable "$1" "$2"; fi
}
unit() {
    have systemctl || return 0
    key unit "$1"
    within systemctl show "$1" -p LoadState -p ActiveState -p Restart -p RestartUSec -p MainPID -p CanReload 2>/dev/null
}
# Processes of a program in this process's own view: "PID words of its command line".
processes() {
    key processes "$1"
    for directory in /proc/[0-9]*; do
        [ "$(cat "$directory/comm" 2>/dev/null)" = "$1" ] || continue
        printf '%s %s\n' "${directory#/proc/}" "$(tr '\0' ' ' <"$directory/cmdline" 2>/dev/null)"
    done
}

pids() { for each in /proc/[0-9]*; do [ "$(cat "$each/comm" 2>/dev/null)" = "$1" ] && echo "${each#/proc/}"; done; }

# keepalived.conf and what it includes, three levels deep.
keepalived_files() {
    file keepalived "$1"
    [ "$2" -gt 3 ] && return
    show "$1" 2>/dev/null | sed -n 's/^[[:space:]]*include[a-z]*[[:space:]]\{1,\}\([^#!]*\).*/\1/p' | tr -d '"' | while read -r pattern; do
        case $pattern in /*) ;; *) pattern=$(dirname "$1")/$pattern ;; esac
        if [ -n "$sudo" ]; then found=$(within $sudo sh -c 'ls -d $0 2>/dev/null' "$pattern"); else found=$(ls -d $pattern 2>/dev/null); fi
        for each in $found; do keepalived_files "$each" $(($2 + 1)); done
    done
}
processes keepalived
unit keepalived
have keepalived && { key version keepalived; within keepalived --version 2>&1 | sed -n 1p; }
config=
for pid in $(pids keepalived); do
    config=$(tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | sed -n '/^-f$/{n;p;q;};/^--use-file$/{n;p;q;};s/^--use-file=//p;s/^-f\(..*\)/\1/p' | sed -n 1p)
    [ -n "$config" ] && break
done
key keepalived_conf; printf '%s\n' "${config:-/etc/keepalived/keepalived.conf}"
keepalived_files "${config:-/etc/keepalived/keepalived.conf}" 0

processes haproxy
unit haproxy
have haproxy && { key version haproxy; within haproxy -v 2>&1 | sed -n 1p; }
configs=
for pid in $(pids haproxy); do
    configs=$(tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | sed -n '/^-f$/{n;p;}')
    [ -n "$configs" ] && break
done
[ -n "$configs" ] || { [ -e /etc/haproxy/haproxy.cfg ] && configs=/etc/haproxy/haproxy.cfg; }
sockets=
for each in $configs; do
    [ -d "$each" ] && set -- "$each"/*.cfg || set -- "$each"
    for path; do
        file haproxy "$path"
        sockets="$sockets $(show "$path" 2>/dev/null | sed -n 's/^[[:space:]]*stats[[:space:]]\{1,\}socket[[:space:]]\{1,\}\([^[:space:]]*\).*/\1/p')"
    done
done
ask='show info;show stat'
through() { # through NAME [sudo -n] PROGRAM...: whether this command reaches the socket; prints its answer
    name=$1; shift
    answer=$(printf '%s\n' "$ask" | if have timeout; then timeout "$limit" "$@" 2>/dev/null; else "$@" 2>/dev/null; fi) || return 1
    case $answer in *'Pid:'*) key socket "$path" "$name"; printf '%s\n' "$answer"; return 0 ;; esac
    return 1
}
PY='import socket,sys
s=socket.socket(socket.AF_UNIX);s.settimeout(5);s.connect(sys.argv[1]);s.sendall(sys.stdin.buffer.read())
while True:
    b=s.recv(65536)
    if not b: break
    sys.stdout.buffer.write(b)'
for path in $sockets; do
    path=${path#unix@}
    case $path in /*) ;; *) key socket_address "$path"; continue ;; esac
    reached=
    for as in '' "$sudo"; do
        [ -z "$reached" ] || break
        have socat && through "$as socat" $as socat - "UNIX-CONNECT:$path" && reached=1 && break
        have nc && through "$as nc" $as nc -U "$path" && reached=1 && break
        have python3 && through "$as python3" $as python3 -c "$PY" "$path" && reached=1 && break
        [ -n "$sudo" ] || break
    done
    [ -n "$reached" ] || key socket_refused "$path"
done

processes nginx
unit nginx
if have nginx; then
    key version nginx; within nginx -v 2>&1 | sed -n 1p
    if [ -n "$(pids nginx)" ]; then 
        # The process title is "nginx: master process PROGRAM -p PREFIX -c FILE".
        key nginx_conf
        title=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | sed -n '/^nginx: master process/{p;q;}')
        prefix=$(printf '%s\n' "$title" | sed -n 's/.* -p \([^ ]*\).*/\1/p')
        conf=$(printf '%s\n' "$title" | sed -n 's/.* -c \([^ ]*\).*/\1/p')
        within $sudo nginx -T ${prefix:+-p "$prefix"} ${conf:+-c "$conf"} 2>/dev/null
    fi
fi
key end
} </dev/null
