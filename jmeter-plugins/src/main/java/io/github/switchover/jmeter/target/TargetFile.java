package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Tree;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads a target file strictly. Each error is one line with its place in the file. Runs no command. */
public final class TargetFile {

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    /** Reads and checks a target file. Secrets come from the environment of this process. */
    public static Target load(Path path) {
        return load(path, System::getenv);
    }

    public static Target load(Path path, UnaryOperator<String> environment) {
        Map<String, Object> values = TomlText.parse(read(path), path.toString());
        values.putIfAbsent("identity", Map.of()); // its keys have defaults
        String folder = String.valueOf(path.toAbsolutePath().getParent());
        TargetSchema schema = new TargetSchema(path.toString(), folder);
        Tree root = schema.check(values);
        if (!root.has("target")) {
            throw schema.error("", "target", "is missing: a target file starts with [target] and its url");
        }
        List<String> variables = root.child("target").texts("environment");
        Path lab = root.has("lab") ? lab(Path.of(root.child("lab").text("directory")), path) : null;
        Target target = new TargetReader(schema, environment, variables).read(root, new Target.TargetOrigin(path, lab));
        Set<String> names = new HashSet<>();
        for (Node node : target.nodes()) {
            if (!names.add(node.name())) {
                throw schema.error(
                        "",
                        "node",
                        "name " + ReadableText.quoted(node.name()) + " is used twice: node names must differ");
            }
        }
        return target;
    }

    private static String read(Path path) {
        String what = "cannot read target file " + path + ": ";
        try {
            String text = Files.readString(path);
            return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        } catch (CharacterCodingException error) {
            throw new UsageException(what + "not UTF-8 text", error);
        } catch (IOException error) {
            throw new UsageException(what + Reason.of(error), error);
        }
    }

    /** Returns the lab's directory if the lab wrote this file. A copy of the file describes a real target. */
    private static @Nullable Path lab(Path directory, Path file) {
        return isOwnFile(directory, file) && isPrivate(directory) ? directory : null;
    }

    private static boolean isOwnFile(Path directory, Path file) {
        try {
            return Files.isSameFile(directory.resolve("target.toml"), file);
        } catch (IOException error) {
            return false;
        }
    }

    private static boolean isPrivate(Path directory) {
        try {
            PosixFileAttributes found =
                    Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            UserPrincipal self = Files.getOwner(Path.of("/proc/self"));
            return found.isDirectory()
                    && found.owner().equals(self)
                    && PosixFilePermissions.toString(found.permissions()).endsWith("------");
        } catch (IOException | UnsupportedOperationException error) {
            return false;
        }
    }
}
