#!/bin/sh
exec /usr/bin/pidof haproxy >/dev/null
