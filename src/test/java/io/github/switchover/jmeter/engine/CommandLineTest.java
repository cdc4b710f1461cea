package io.github.switchover.jmeter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What was typed, and nothing that a file or a plan said. */
@ExtendWith(JMeterHome.class)
class CommandLineTest {

    private static final String NAME = "switchover.armed";

    /** A JVM that says what was typed when it was started. */
    static final class Runner {

        public static void main(String[] arguments) {
            System.out.println(CommandLine.property(NAME));
        }
    }

    @Test
    void a_property_is_known_in_each_way_in_which_it_is_typed() {
        assertThat(typed("-n", "-Jswitchover.armed=true")).isEqualTo("true");
        assertThat(typed("-J", "switchover.armed=true", "-n")).isEqualTo("true");
        assertThat(typed("--jmeterproperty", "switchover.armed=true")).isEqualTo("true");
        assertThat(typed("--jmeterproperty=switchover.armed=true")).isEqualTo("true");
    }

    @Test
    void what_looks_like_it_is_none() {
        assertThat(typed("-n", "-J")).isNull();
        assertThat(typed("-Jswitchover.out=a -Jswitchover.armed=true")).isNull();
        assertThat(typed("-Gswitchover.armed=true", "-Dswitchover.armed=true", "-Sswitchover.armed=true"))
                .isNull();
        assertThat(typed("-Jswitchover.armed.not=true", "-Jnot.switchover.armed=true"))
                .isNull();
    }

    @Test
    void a_property_that_was_set_while_jmeter_runs_was_not_typed() {
        JMeterUtils.setProperty(NAME, "true");
        try {
            assertThat(CommandLine.property(NAME)).isNull();
        } finally {
            JMeterUtils.getJMeterProperties().remove(NAME);
        }
    }

    @Test
    void a_jvm_knows_its_own_line_however_long_it_is() throws Exception {
        String filler = "-Jfiller=" + "x".repeat(10_000);
        assertThat(printedBy("-n", filler, "-Jswitchover.armed=true")).isEqualTo("true");
        assertThat(printedBy("-n", filler)).isEqualTo("null");
        assertThat(printedBy("-Jswitchover.out=a -Jswitchover.armed=true")).isEqualTo("null");
    }

    @Test
    void only_switchovers_properties_are_recorded_and_without_secrets() {
        assertThat(CommandLine.ownWords(List.of(
                        "-n", "-t", "plan.jmx", "-Jtoken=abc", "-Jswitchover.influx=http://u:abc@db:8086?db=a")))
                .containsExactly("-Jswitchover.influx=http://db:8086?db=***");
    }

    private static String typed(String... arguments) {
        return CommandLine.property(NAME, List.of(arguments));
    }

    /** By a JVM that is started so, in an environment and with a property of Java's that say it all the same. */
    private static String printedBy(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dsun.java.command=jmeter",
                "-cp",
                System.getProperty("java.class.path"),
                Runner.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JDK_JAVA_OPTIONS", "-Dswitchover.armed=true");
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).isZero();
        return printed;
    }
}
