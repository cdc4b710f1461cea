/** Files of records: appended whole on a disk that may fill up, read although they may have been cut off or damaged. */
package io.github.switchover.jmeter.files;
