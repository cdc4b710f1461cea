#!/bin/sh
exec /usr/bin/pidof nginx >/dev/null
