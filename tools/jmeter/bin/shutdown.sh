#!/bin/sh
# Ends the test of a JMeter on this machine once its samples are done; takes the port, 4445 without one.
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$(dirname "$(readlink -f "$0")")/ApacheJMeter.jar" \
    org.apache.jmeter.util.ShutdownClient Shutdown "$@"
