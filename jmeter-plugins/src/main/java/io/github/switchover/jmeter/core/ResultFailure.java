package io.github.switchover.jmeter.core;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Why a JMeter sample failed, from what its result says of it.
 *
 * <p>JMeter's HTTP samplers write the class of an exception into the response code and its message into the response
 * message; nothing else of it is left, least of all in a distributed test. The rules are in {@code
 * tables/failures.json}: words of the operating system come before the class, which for the same cause differs between
 * clients and JDKs.
 */
public final class ResultFailure {

    private static final Pattern THROWN = Pattern.compile("Non HTTP response code: (?:[\\w.$]*[.$])?(?<type>\\w+)");
    private static final Pattern STATUS = Pattern.compile("[1-5][0-9]{2}");
    private static final int FIRST_BAD_STATUS = 400;

    /** The rules, in their order. */
    private static final List<Rule> RULES = rules();

    private ResultFailure() {}

    private record RuleTable(List<Rule> messages, List<Rule> exceptions) {}

    /** A null holds for anything; {@code cut}: JMeter closed the connection, at a timeout or because the test ends. */
    private record Rule(String kind, List<String> words, List<String> types, String message, boolean cut) {

        boolean holds(String type, String said) {
            return (types == null || types.contains(type))
                    && (words == null || words.stream().anyMatch(said::contains))
                    && (message == null || said.contains(message));
        }
    }

    private static List<Rule> rules() {
        RuleTable table = Json.read(ResourceText.table("failures.json"), RuleTable.class);
        return Stream.concat(table.messages.stream(), table.exceptions.stream()).toList();
    }

    /**
     * The kind of a failed sample's failure.
     *
     * @param responseCode a status, {@code Non HTTP response code: } and a class, or what a sampler made up
     * @param responseMessage what came with it
     * @param isStopping the thread of the sample was told to end: a request that JMeter cut then did not fail
     */
    public static FailureKind kindOf(String responseCode, String responseMessage, boolean isStopping) {
        Matcher thrown = THROWN.matcher(responseCode);
        if (thrown.matches()) {
            String type = thrown.group("type");
            String message = responseMessage.toLowerCase(Locale.ROOT);
            return RULES.stream()
                    .filter(rule -> rule.holds(type, message))
                    .findFirst()
                    .map(rule -> rule.cut && isStopping ? FailureKind.GENERATOR : FailureKind.of(rule.kind))
                    .orElse(FailureKind.PROTOCOL);
        }
        boolean bad = STATUS.matcher(responseCode).matches() && Integer.parseInt(responseCode) >= FIRST_BAD_STATUS;
        // A good status, or none: somebody else, an assertion say, found the sample wrong.
        return bad ? FailureKind.STATUS : FailureKind.ASSERTION;
    }
}
