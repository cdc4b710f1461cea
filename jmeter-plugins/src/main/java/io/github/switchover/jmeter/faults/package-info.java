/**
 * What can be done to a load balancer pair on purpose, and what keeps it harmless.
 *
 * <p>Here every fault is a recipe of the target file: commands, run without a shell, with {@code {master}} and {@code
 * {backup}} filled in. The lab writes its own mechanisms as such recipes.
 */
package io.github.switchover.jmeter.faults;
