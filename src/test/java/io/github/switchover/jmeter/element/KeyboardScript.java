package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.element.ArmingCheck.Keyboard;
import java.util.ArrayList;
import java.util.List;

/** A user whose words are known beforehand, and what that user was asked. */
final class KeyboardScript implements Keyboard {

    private final boolean typed;
    private final boolean window;
    private final boolean yes;
    private final List<String> questions = new ArrayList<>();

    private KeyboardScript(boolean typed, boolean window, boolean yes) {
        this.typed = typed;
        this.window = window;
        this.yes = yes;
    }

    /** Without a window; the arming word was typed, or not. */
    static KeyboardScript commandLine(boolean typed) {
        return new KeyboardScript(typed, false, false);
    }

    /** Before a window, with one answer to all questions. The arming word was typed when it was opened. */
    static KeyboardScript window(boolean yes) {
        return new KeyboardScript(true, true, yes);
    }

    List<String> questions() {
        return questions;
    }

    @Override
    public boolean hasArmingWord() {
        return typed;
    }

    @Override
    public boolean canAsk() {
        return window;
    }

    @Override
    public boolean isConfirmed(String question) {
        questions.add(question);
        return yes;
    }
}
