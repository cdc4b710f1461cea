/** Numbers and quoted texts as Python writes them, so that both halves print the same characters. */
package io.github.switchover.jmeter.text;
