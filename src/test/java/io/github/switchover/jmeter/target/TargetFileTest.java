package io.github.switchover.jmeter.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.PlainValues;
import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Target.NodeClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

class TargetFileTest {

    private static final String MINIMAL = "[target]\nurl = \"http://198.18.0.50/\"\n";

    @TempDir
    private Path folder;

    @BeforeEach
    void makeFiles() throws IOException {
        Files.writeString(folder.resolve("secret"), "hush\nsecond\n");
        Files.createFile(folder.resolve("empty"));
    }

    @ParameterizedTest
    @VectorSource(file = "target.json", table = "cases")
    void target_file_is_read_as_agreed(Map<String, Object> vector) throws IOException {
        Map<?, ?> environment = (Map<?, ?>) vector.getOrDefault("environment", Map.of());
        String text = (String) vector.get("text");
        if (vector.containsKey("model")) {
            Target target = load(text, environment);
            Map<Object, Object> model = new LinkedHashMap<>((Map<?, ?>) PlainValues.of(target));
            assertThat(model).isEqualTo(inFolder(vector.get("model")));
        } else {
            assertThatThrownBy(() -> load(text, environment))
                    .isInstanceOf(UsageException.class)
                    .satisfies(error -> assertRefusal(vector, error.getMessage()));
        }
    }

    @Test
    void secrets_are_not_shown() throws IOException {
        Target target = load(
                MINIMAL
                        + "headers = {Authorization = \"env:DRILL_TOKEN\"}\n"
                        + "[influx]\nurl = \"http://127.0.0.1:8086\"\ntoken = \"env:DRILL_TOKEN\"\n"
                        + "[[node]]\nname = \"lb1\"\nrole = \"balancer\"\nhaproxy = \"http://u:s3cret@lb1/stats\"\n"
                        + "clock = [\"ssh\", \"s3cret\"]\n"
                        + "[fault.mine]\nkill = [\"curl\", \"s3cret\"]\n",
                Map.of("DRILL_TOKEN", "s3cret"));
        assertThat(target.endpoint().headers()).containsEntry("Authorization", "s3cret");
        assertThat(target.influx().token()).isEqualTo("s3cret");
        assertThat(target.toString()).doesNotContain("s3cret").contains("Authorization", "lb1", "mine");
    }

    @Test
    void claim_and_release_and_the_variables_of_commands_are_read() throws IOException {
        Target target = load(
                MINIMAL
                        + "environment = [\"KUBECONFIG\"]\nclaim = [\"lock\"]\nrelease = [\"unlock\"]\n"
                        + "[[node]]\nname = \"lb1\"\nrole = \"balancer\"\nhaproxy = [\"show\"]\n"
                        + "[fault.mine]\nkill = [\"true\"]\ndisarm = [\"stop\"]\n",
                Map.of());
        assertThat(target.claim()).isEqualTo(new NodeClaim(List.of("lock"), List.of("unlock"), List.of("KUBECONFIG")));
        assertThat(((Source.Command) target.node("lb1").sources().haproxy()).variables())
                .containsExactly("KUBECONFIG");
        assertThat(target.faults().get("mine").variables()).containsExactly("KUBECONFIG");
        assertThat(target.faults().get("mine").command(FaultRecipe.Step.DISARM)).containsExactly("stop");
        assertThatThrownBy(() -> load(MINIMAL + "claim = [\"lock\"]\n", Map.of()))
                .hasMessageContaining("[target] claim and release belong together");
    }

    @Test
    void a_file_that_cannot_be_read_is_one_line() throws IOException {
        Path binary = Files.write(folder.resolve("binary.toml"), new byte[] {-1, -2, 0});
        assertThatThrownBy(() -> TargetFile.load(folder.resolve("none.toml")))
                .isInstanceOf(UsageException.class)
                .hasMessage("cannot read target file " + folder.resolve("none.toml") + ": No such file or directory");
        assertThatThrownBy(() -> TargetFile.load(folder)).hasMessageEndingWith(": Is a directory");
        assertThatThrownBy(() -> TargetFile.load(binary)).hasMessageEndingWith(": not UTF-8 text");
    }

    @Test
    void where_requests_go_is_told_by_the_url() throws IOException {
        Endpoint plain = load(MINIMAL, Map.of()).endpoint();
        assertThat(plain.host()).isEqualTo("198.18.0.50");
        assertThat(plain.port()).isEqualTo(80);
        assertThat(plain.isTls()).isFalse();
        Endpoint secure = load("[target]\nurl = \"https://[2001:DB8::1]:8443/a\"\n", Map.of())
                .endpoint();
        assertThat(secure.host()).isEqualTo("2001:db8::1");
        assertThat(secure.port()).isEqualTo(8443);
        assertThat(secure.isTls()).isTrue();
    }

    private void assertRefusal(Map<String, Object> vector, String message) {
        String line = message.replace(folder.resolve("target.toml").toString(), "FILE")
                .replace(folder.toString(), "{folder}");
        if (vector.containsKey("begins")) {
            assertThat(line).startsWith((String) vector.get("begins")).doesNotContain("\n");
        } else {
            assertThat(line).isEqualTo(vector.get("error"));
        }
    }

    /** The value with the name of the folder put in. */
    private Object inFolder(Object value) {
        if (value instanceof String text) {
            return text.replace("{folder}", folder.toString());
        }
        if (value instanceof List<?> list) {
            return list.stream().map(this::inFolder).toList();
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> found = new LinkedHashMap<>();
            map.forEach((key, entry) -> found.put(key, inFolder(entry)));
            found.keySet().removeAll(Set.of("access_log", "processes")); // which the jar does not read
            return found;
        }
        return value;
    }

    private Target load(String text, Map<?, ?> environment) throws IOException {
        Path file = Files.writeString(folder.resolve("target.toml"), text.replace("{folder}", folder.toString()));
        return TargetFile.load(file, name -> (String) environment.get(name));
    }

    @Test
    void only_known_names_are_filled_in() {
        List<String> command = List.of("ssh", "{master}", "awk", "{print $1}", "{backup}:{master}", "{victim}");
        FaultRecipe recipe = Recipe.with(Recipe.named("cut"), Step.KILL, command, Step.DEADMAN, command);
        FaultRecipe filled = recipe.filledIn(Map.of("master", "lb1", "backup", "lb2"));
        assertThat(filled.command(Step.KILL))
                .isEqualTo(filled.command(Step.DEADMAN))
                .containsExactly("ssh", "lb1", "awk", "{print $1}", "lb2:lb1", "{victim}");
        assertThat(filled.command(Step.HEAL)).isNull();
        assertThat(filled.mentions("{master}")).isFalse();
        assertThat(recipe.filledIn(Map.of("master", "lb1", "backup", "")).mentions("{backup}"))
                .isTrue();
    }

    @Test
    void commands_may_hold_credentials_and_are_not_shown() {
        List<String> command = List.of("curl", "-u", "admin:secret");
        assertThat(Recipe.with(Recipe.named("cut"), Step.KILL, command, Step.HEAL, command))
                .hasToString("FaultRecipe[cut]");
    }
}
