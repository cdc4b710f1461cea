/**
 * Commands of the target file: run without a shell, in a process group of their own, ended with all that they started,
 * also when this JVM is killed.
 */
package io.github.switchover.jmeter.command;
