/** Traffic per second: what the requests of a second and tag set cost, as one point each. */
package io.github.switchover.jmeter.traffic;
