/** JSON as plain values: maps in their order, lists, text, whole numbers, decimals, flags and null. */
package io.github.switchover.jmeter.json;
