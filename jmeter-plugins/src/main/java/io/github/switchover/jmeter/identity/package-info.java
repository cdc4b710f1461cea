/** Who answered: from the headers of an answer to a backend and a balancer. */
package io.github.switchover.jmeter.identity;
