package io.github.switchover.jmeter.core;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The reason why a file cannot be read or written: the message of the operating system without the path. */
public final class Reason {

    /** The exceptions of {@code java.io} put the path before the reason: {@code /a/b (No such file or directory)}. */
    private static final Pattern BEHIND_PATH = Pattern.compile(".*\\((?<reason>[^()]+)\\)", Pattern.DOTALL);

    public static String of(IOException error) {
        if (error instanceof NoSuchFileException) {
            return "No such file or directory";
        }
        if (error instanceof AccessDeniedException) {
            return "Permission denied";
        }
        if (error instanceof FileAlreadyExistsException) {
            return "File exists";
        }
        if (error instanceof FileSystemException of && of.getReason() != null) {
            return of.getReason();
        }
        String message = error.getMessage();
        if (message == null) {
            return error.getClass().getSimpleName();
        }
        Matcher behind = BEHIND_PATH.matcher(message);
        return behind.matches() ? behind.group("reason") : message;
    }
}
