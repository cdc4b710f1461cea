/** The jar as a program: {@code java -jar jmeter-switchover.jar verdict DIR}, without JMeter. */
package io.github.switchover.jmeter.cli;
