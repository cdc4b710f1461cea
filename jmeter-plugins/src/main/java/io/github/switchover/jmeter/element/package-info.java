/**
 * The elements of a test plan. They hold what stands in the plan and turn it into calls of the other packages; what
 * they are told by JMeter's threads never throws at those.
 */
package io.github.switchover.jmeter.element;
