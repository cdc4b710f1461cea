/** What goes wrong for a user, as one line each: what was tried, what came back, what to do. */
package io.github.switchover.jmeter.errors;
