package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Names and creates the directories of runs. */
public final class RunDirectory {

    public static final String RUN_FILE = "run.json";
    public static final String VERDICT_FILE = "verdict.json";
    public static final String PROBES_FILE = "probes.jtl";

    /** The journal with the verdict as points. Each judgement replaces it, so no figure is computed from it. */
    public static final String VERDICT_JOURNAL = "journal-verdict.lp";

    private static final int IDENTIFIER_LIMIT = 100;
    private static final int SAME_SECOND_LIMIT = 1000;
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Returns {@code <UTC time>-<name>}, with only characters that are valid in a directory name and in a tag. */
    public static String identifier(String name, Instant at) {
        String safe = name.replaceAll("[^A-Za-z0-9._-]+", "-").replaceAll("^[-.]+|[-.]+$", "");
        String identifier = STAMP.format(at) + "-" + (safe.isEmpty() ? "run" : safe);
        return identifier.substring(0, Math.min(IDENTIFIER_LIMIT, identifier.length()));
    }

    /** Creates a new directory in {@code parent}. If the name exists, a number is appended. */
    public static Path create(Path parent, String identifier) {
        for (int number = 1; number < SAME_SECOND_LIMIT; number++) {
            Path directory = parent.resolve(number == 1 ? identifier : identifier + "-" + number);
            try {
                Files.createDirectories(parent);
                return Files.createDirectory(directory);
            } catch (FileAlreadyExistsException error) {
                if (!Files.isDirectory(parent)) {
                    throw cannotCreate(directory, error);
                }
            } catch (IOException error) {
                throw cannotCreate(directory, error);
            }
        }
        throw new RunDirectoryException(parent + " already has a thousand runs with the name " + identifier);
    }

    /** Deletes the directory of a run that did not begin, if possible. */
    public static void deleteUnbegun(Path directory) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException error) {
            return; // a remaining directory does no harm
        }
    }

    private static RunDirectoryException cannotCreate(Path directory, IOException error) {
        return new RunDirectoryException("cannot create run directory " + directory + ": " + Reason.of(error), error);
    }

    /** Returns the version of this build, such as {@code 0.1.0}. */
    public static String version() {
        return ResourceText.read(RunDirectory.class, "version.txt").strip();
    }
}
