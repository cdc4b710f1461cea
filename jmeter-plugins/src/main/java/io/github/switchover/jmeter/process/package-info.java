/** Starting programs and ending them with all that they started, also when this JVM is killed. */
package io.github.switchover.jmeter.process;
