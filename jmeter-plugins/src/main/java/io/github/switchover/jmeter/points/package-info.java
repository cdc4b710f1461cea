/** Line protocol: the form of points that the journal, InfluxDB and both languages share. */
package io.github.switchover.jmeter.points;
