package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SwitchoverException.TargetException;
import io.github.switchover.jmeter.target.Target.InfluxSettings;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Reads a target file strictly. Each error is one line with its place in the file. Opens no socket and runs no command.
 */
public final class TargetFile {

    private static final List<String> HELD_KINDS =
            List.of("pooled", "idle", "download", "upload", "sse", "websocket", "tcp", "h2");

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private TargetFile() {}

    /** Reads and checks a target file. Secrets come from the environment of this process. */
    public static Target load(Path path) {
        return load(path, System::getenv);
    }

    public static Target load(Path path, UnaryOperator<String> environment) {
        Map<String, Object> values = TomlText.parse(read(path), path.toString());
        String folder = String.valueOf(path.toAbsolutePath().getParent());
        return target(new TomlTable(values, "", path.toString(), folder), path, new Secrets(environment));
    }

    private static String read(Path path) {
        String what = "cannot read target file " + path + ": ";
        if (Files.isDirectory(path)) {
            throw new TargetException(what + "Is a directory");
        }
        try (FileInputStream stream = new FileInputStream(path.toFile())) {
            ByteBuffer bytes = ByteBuffer.wrap(stream.readAllBytes());
            String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        } catch (CharacterCodingException error) {
            throw new TargetException(what + "not UTF-8 text", error);
        } catch (IOException error) {
            throw new TargetException(what + Reason.of(error), error);
        }
    }

    private static Target target(TomlTable root, Path path, Secrets secrets) {
        TomlTable endpoint = root.table("target");
        if (endpoint == null) {
            throw root.error("target", "is missing: a target file starts with [target] and its url");
        }
        root.variables(EndpointReader.variables(endpoint));
        Target target = new Target(
                EndpointReader.read(endpoint, secrets),
                identity(root.table("identity")),
                root.tables("node").stream().map(NodeReader::read).toList(),
                faults(root.table("fault")),
                influx(root.table("influx"), secrets),
                EndpointReader.claim(endpoint),
                new Target.TargetOrigin(path, lab(root.table("lab"), path)));
        endpoint.done();
        checkChanges(root.table("change"));
        checkPatient(root.table("connections"));
        root.done();
        List<String> names = target.nodes().stream().map(Node::name).toList();
        for (String name : names) {
            if (Collections.frequency(names, name) > 1) {
                throw root.error(
                        "node", "name " + ReadableText.quoted(name) + " is used twice: node names must differ");
            }
        }
        return target;
    }

    private static IdentitySettings identity(TomlTable table) {
        IdentitySettings usual = IdentitySettings.DEFAULT;
        if (table == null) {
            return usual;
        }
        IdentitySettings settings = new IdentitySettings(
                table.string("backend_header", usual.backendHeader()),
                table.string("balancer_header", usual.balancerHeader()),
                table.string("upstream_time_header", usual.upstreamTimeHeader()),
                table.string("sticky_cookie"),
                table.strings("aliases"));
        table.done();
        return settings;
    }

    private static Map<String, FaultRecipe> faults(TomlTable table) {
        Map<String, FaultRecipe> found = new LinkedHashMap<>();
        for (String name : table == null ? List.<String>of() : table.keys()) {
            found.put(name, fault(name, table.table(name)));
        }
        return found;
    }

    private static FaultRecipe fault(String name, TomlTable table) {
        FaultRecipe recipe = new FaultRecipe(name, Map.of(), null, table.variables());
        for (FaultRecipe.Step step : FaultRecipe.Step.values()) {
            recipe = recipe.with(step, table.arguments(step.key()));
        }
        if (!recipe.has(FaultRecipe.Step.KILL)) {
            throw table.error("kill", "is missing: the command that fires it, such as [\"ssh\", \"{master}\", …]");
        }
        TomlTable predict = table.table("predict");
        FaultRecipe.PredictedWindow window = predict == null ? null : window(table, predict);
        table.done();
        return recipe.with(window);
    }

    /** Checks the tables [change.NAME]. JMeter does not run changes; only the program {@code switchover} runs them. */
    private static void checkChanges(TomlTable table) {
        for (String name : table == null ? List.<String>of() : table.keys()) {
            TomlTable change = table.table(name);
            change.variables();
            if (change.arguments("do") == null) {
                throw change.error("do", "is missing: the command that makes it, such as [\"ssh\", \"{master}\", …]");
            }
            List.of("undo", "verify", "ready").forEach(change::arguments);
            change.done();
        }
    }

    /** Checks the URLs of held connections. Only the command line opens held connections. */
    private static void checkPatient(TomlTable table) {
        if (table == null) {
            return;
        }
        for (String kind : HELD_KINDS) {
            table.string(kind);
        }
        table.done();
    }

    private static FaultRecipe.PredictedWindow window(TomlTable fault, TomlTable predict) {
        Double low = predict.durationS("low");
        Double high = predict.durationS("high");
        predict.done();
        if (low == null || high == null || low > high) {
            throw fault.error("predict", "must be {low = …, high = …} with low <= high, in seconds");
        }
        return new FaultRecipe.PredictedWindow(low, high);
    }

    private static InfluxSettings influx(TomlTable table, Secrets secrets) {
        if (table == null) {
            return null;
        }
        String token = table.string("token");
        String password = table.string("password");
        InfluxSettings settings = new InfluxSettings(
                table.required("url"),
                table.string("org"),
                table.string("bucket"),
                table.string("db"),
                token == null || token.isEmpty() ? null : secrets.read(table, "token", token),
                table.string("user"),
                password == null || password.isEmpty() ? null : secrets.read(table, "password", password));
        table.done();
        return settings;
    }

    /** Returns the lab's directory if the lab wrote this file. A copy of the file describes a real target. */
    private static Path lab(TomlTable table, Path file) {
        if (table == null) {
            return null;
        }
        Path directory = table.path("directory", table.required("directory"));
        table.done();
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

    /**
     * Reads secrets from outside the target file.
     *
     * @param environment returns a variable by its name; null if the variable is not set
     */
    record Secrets(UnaryOperator<String> environment) {

        /**
         * Returns the value of a secret. {@code env:NAME} is an environment variable, {@code file:PATH} is the first
         * line of a file.
         */
        String read(TomlTable table, String key, String value) {
            if (value.startsWith("env:")) {
                String name = value.substring(4);
                String found = environment.apply(name);
                if (found == null) {
                    throw table.error(key, "needs the environment variable " + name + ", which is not set");
                }
                return found;
            }
            if (value.startsWith("file:")) {
                String path = value.substring(5);
                return firstLine(table, key, path);
            }
            return value;
        }

        private static String firstLine(TomlTable table, String key, String path) {
            try {
                String text = Files.readString(table.path(key, path));
                return text.lines().findFirst().orElseThrow(() -> table.error(key, "cannot be read from " + path));
            } catch (IOException error) {
                throw table.error(key, "cannot be read from " + path);
            }
        }
    }
}
