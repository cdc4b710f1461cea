/** A verdict as people and their tools read it. */
package io.github.switchover.jmeter.print;
