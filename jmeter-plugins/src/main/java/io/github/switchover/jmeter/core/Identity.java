package io.github.switchover.jmeter.core;

/** Backend and balancer of an answer; an empty name is one that nothing told. */
public record Identity(String backend, String balancer, AnsweredBy answeredBy) {

    /** There was no answer. */
    public static final Identity NONE = new Identity("", "", AnsweredBy.NONE);
}
