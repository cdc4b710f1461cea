package io.github.switchover.jmeter.target;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Labelled;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.target.Endpoint.StatusRanges;
import io.github.switchover.jmeter.target.Target.InfluxSettings;
import io.github.switchover.jmeter.target.Target.NodeClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Builds a target from checked contents. {@code variables}: the environment variables that its commands receive. */
record TargetReader(TargetSchema schema, UnaryOperator<String> environment, List<String> variables) {

    private static final Pattern STATUS_RANGE = Pattern.compile(" *([0-9]{3})(?:-([0-9]{3}))? *");

    Target read(Tree root, Target.TargetOrigin origin) {
        Tree endpoint = root.child("target");
        Map<String, FaultRecipe> faults = new LinkedHashMap<>();
        Tree recipes = root.child("fault");
        recipes.names().forEach(name -> faults.put(name, fault(name, recipes.child(name))));
        return new Target(
                endpoint(endpoint),
                identity(root.child("identity")),
                root.list("node").stream().map(this::node).toList(),
                faults,
                root.has("influx") ? influx(root.child("influx")) : null,
                claim(endpoint),
                origin);
    }

    private Endpoint endpoint(Tree table) {
        String url = table.text("url", "");
        refuseWrongUrl(url);
        String hostHeader = table.text("host_header");
        Map<String, String> headers = new LinkedHashMap<>();
        texts(table.child("headers")).forEach((name, value) -> headers.put(name, secret("target", "headers", value)));
        headers.forEach(this::refuseControlCharacters);
        refuseControlCharacters("host_header", hostHeader == null ? "" : hostHeader);
        Tree weights = table.child("weights");
        Map<String, Double> weightOf = new LinkedHashMap<>();
        weights.names().forEach(backend -> weightOf.put(backend, weights.number(backend)));
        return new Endpoint(
                url,
                ranges(requireNonNull(table.text("expect"))),
                new Endpoint.SentHeaders(hostHeader, headers),
                new Endpoint.TlsChoice(table.text("sni"), path(table.text("ca")), table.is("insecure")),
                new Endpoint.TimeoutChoice(table.number("timeout_connect_s"), table.number("timeout_read_s")),
                table.is("dedicated"),
                new Endpoint.Spreading(table.text("algorithm"), weightOf));
    }

    private void refuseWrongUrl(String url) {
        UrlParts parts = UrlParts.of(url);
        String shown = ReadableText.quoted(PublicText.text(url));
        if (!List.of("http", "https").contains(parts.scheme()) || parts.host().isEmpty()) {
            throw schema.error("target", "url", "must be http://host[:port]/path or https://…, not " + shown);
        }
        if (parts.user() != null) {
            throw schema.error(
                    "target", "url", "contains a user name: send a header instead, Authorization = \"env:NAME\"");
        }
        if (parts.port() < 0) {
            throw schema.error("target", "url", "has no valid port: " + shown);
        }
    }

    private StatusRanges ranges(String text) {
        List<StatusRanges.Range> ranges = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher match = STATUS_RANGE.matcher(part);
            int low = match.matches() ? Integer.parseInt(match.group(1)) : 0;
            int high = low > 0 && match.group(2) != null ? Integer.parseInt(match.group(2)) : low;
            if (low < 100 || high < low || high > 599) {
                throw schema.error(
                        "target",
                        "expect",
                        "must be status ranges such as \"200-399\" or \"200,204\", not " + ReadableText.quoted(text));
            }
            ranges.add(new StatusRanges.Range(low, high));
        }
        return new StatusRanges(ranges);
    }

    /** Refuses control characters, which would break the request or insert a second request. */
    private void refuseControlCharacters(String name, String value) {
        if ((name + value).chars().anyMatch(c -> c < 32 || c == 127)) {
            throw schema.error(
                    "target",
                    "headers",
                    ReadableText.quoted(name) + " has a control character, which would break the request");
        }
    }

    private static IdentitySettings identity(Tree table) {
        return new IdentitySettings(
                requireNonNull(table.text("backend_header")),
                requireNonNull(table.text("balancer_header")),
                requireNonNull(table.text("upstream_time_header")),
                table.text("sticky_cookie"),
                texts(table.child("aliases")));
    }

    private Node node(Tree table) {
        JsonElement clock = table.json().get("clock");
        boolean isShared = clock.isJsonPrimitive();
        JsonElement keepalived = table.json().get("keepalived");
        boolean isCopy = keepalived.isJsonPrimitive();
        return new Node(
                table.text("name", ""),
                requireNonNull(Labelled.of(Node.Role.values(), table.text("role", ""))),
                table.text("host"),
                (Source.Command) source(table.json().get("machine_id")),
                new Node.NodeSources(
                        source(table.json().get("haproxy")),
                        source(table.json().get("nginx")),
                        table.array("vip_owner").stream().map(this::source).toList(),
                        isShared ? null : (Source.Command) source(clock),
                        isShared),
                isCopy ? path(keepalived.getAsString()) : null,
                keepalived.isJsonObject() ? keepalived(table.child("keepalived")) : null);
    }

    /** Fills in the timeout of a {@code vrrp_script}. Its default is the interval, as in Keepalived. */
    private static Tree keepalived(Tree settings) {
        if (!settings.has("check")) {
            return settings;
        }
        Tree check = settings.child("check");
        Double timeoutS = check.number("timeout_s");
        boolean isSet = timeoutS != null && timeoutS > 0;
        return settings.with("check", isSet ? check : check.with("timeout_s", check.number("interval_s")));
    }

    private @Nullable Source source(JsonElement value) {
        if (value.isJsonArray()) {
            List<JsonElement> words = value.getAsJsonArray().asList();
            return new Source.Command(
                    words.stream().map(JsonElement::getAsString).toList(), variables);
        }
        return value.isJsonNull() ? null : Source.of(value.getAsString());
    }

    private FaultRecipe fault(String name, Tree table) {
        Map<FaultRecipe.Step, List<String>> commands = new EnumMap<>(FaultRecipe.Step.class);
        for (FaultRecipe.Step step : FaultRecipe.Step.values()) {
            if (table.has(step.label())) {
                commands.put(step, table.texts(step.label()));
            }
        }
        return new FaultRecipe(name, commands, window(name, table), variables);
    }

    private FaultRecipe.@Nullable PredictedWindow window(String fault, Tree table) {
        if (!table.has("predict")) {
            return null;
        }
        double low = requireNonNull(table.child("predict").number("low_s"));
        double high = requireNonNull(table.child("predict").number("high_s"));
        if (low > high) {
            throw schema.error("fault." + fault, "predict", "must be {low = …, high = …} with low <= high, in seconds");
        }
        return new FaultRecipe.PredictedWindow(low, high);
    }

    private InfluxSettings influx(Tree table) {
        return new InfluxSettings(
                table.text("url", ""),
                table.text("org"),
                table.text("bucket"),
                table.text("db"),
                credential(table, "token"),
                table.text("user"),
                credential(table, "password"));
    }

    private @Nullable String credential(Tree table, String key) {
        String value = table.text(key, "");
        return value.isEmpty() ? null : secret("influx", key, value);
    }

    /** Returns the claim of the target. */
    private @Nullable NodeClaim claim(Tree table) {
        if (table.has("claim") != table.has("release")) {
            throw schema.error("target", "claim", "and release belong together: set both or neither");
        }
        return table.has("claim") ? new NodeClaim(table.texts("claim"), table.texts("release"), variables) : null;
    }

    private static Map<String, String> texts(Tree table) {
        Map<String, String> texts = new LinkedHashMap<>();
        table.names().forEach(name -> texts.put(name, table.text(name)));
        return texts;
    }

    /** Returns null for a missing or empty text. */
    private static @Nullable Path path(@Nullable String text) {
        return text == null || text.isEmpty() ? null : Path.of(text);
    }

    /** Resolves a secret: {@code env:NAME} is an environment variable, {@code file:PATH} a file's first line. */
    private String secret(String place, String key, String value) {
        if (value.startsWith("env:")) {
            String name = value.substring(4);
            String found = environment.apply(name);
            if (found == null) {
                throw schema.error(place, key, "needs the environment variable " + name + ", which is not set");
            }
            return found;
        }
        return value.startsWith("file:") ? firstLine(place, key, value.substring(5)) : value;
    }

    private String firstLine(String place, String key, String path) {
        try {
            Path file = Path.of(schema.locate(path));
            return Files.readString(file).lines().findFirst().orElseThrow(IOException::new);
        } catch (IOException | InvalidPathException error) {
            throw schema.error(place, key, "cannot be read from " + path);
        }
    }
}
