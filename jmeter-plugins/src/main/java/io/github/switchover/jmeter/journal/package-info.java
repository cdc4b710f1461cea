/** The journal: every point of a run, in a file of line protocol that is complete up to the last line written. */
package io.github.switchover.jmeter.journal;
