package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.Tree;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes {@code run.json} as a whole. */
public final class RunFile {

    /** The last field of run.json: the CRC-32 of all text before it. */
    private static final Pattern CHECKSUM = Pattern.compile(",\\s*\"checksum\": \"([0-9a-f]{8})\"\\s*}\\s*\\z");

    /** Writes run.json with a checksum as its last field: one changed digit could change every figure. */
    public static void write(Path directory, Run run) {
        String text = Json.file(run.tree().json());
        String before = text.substring(0, text.length() - "\n}\n".length());
        String checksum = Seal.checksum(before.getBytes(StandardCharsets.UTF_8));
        WholeFile.write(
                directory.resolve(RunDirectory.RUN_FILE), before + ",\n  \"checksum\": \"" + checksum + "\"\n}\n");
    }

    /** True if the text matches its checksum. A file of an older version has no checksum, and counts as unchanged. */
    private static boolean isAsWritten(String text) {
        Matcher checksum = CHECKSUM.matcher(text);
        if (!checksum.find()) {
            return !text.contains("\"seals\"");
        }
        byte[] before = text.substring(0, checksum.start()).getBytes(StandardCharsets.UTF_8);
        return Seal.checksum(before).equals(checksum.group(1));
    }

    public static Run read(Path directory) {
        Path path = directory.resolve(RunDirectory.RUN_FILE);
        try {
            String text = WholeFile.read(path);
            if (!isAsWritten(text)) {
                throw new RunDirectoryException(
                        path + " is damaged, or was edited: its text does not match the checksum that the run wrote");
            }
            return parse(text);
        } catch (FileNotFoundException error) {
            if (Files.exists(path)) {
                throw RunDirectoryException.cannotRead(path, error);
            }
            throw new RunDirectoryException(
                    directory + " is not a run directory: it has no " + RunDirectory.RUN_FILE, error);
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
        } catch (IllegalArgumentException error) {
            throw new RunDirectoryException(
                    path + " is not a run description of schema " + Run.SCHEMA + ": " + error.getMessage(), error);
        }
    }

    /** Parses the text of a run.json. Throws IllegalArgumentException with the reason if it is invalid. */
    public static Run parse(String text) {
        Tree tree = Tree.parse(FormerNames.renamed(Tree.parse(text).json()).toString());
        tree.json().remove("checksum"); // applies only to this text
        for (String field : List.of("id", "name", "plan")) {
            if (!tree.has(field)) {
                throw new IllegalArgumentException(field + " is missing");
            }
        }
        try {
            return new Run(tree).checked();
        } catch (RunDirectoryException error) {
            throw new IllegalArgumentException(error.getMessage(), error);
        }
    }
}
