package io.github.switchover.jmeter.faults;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.run.FaultRun;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The traits of a fault mechanism, from {@code tables/faults.json}.
 *
 * <p>{@code victim}: the host of the lab, if it is not the master. {@code cutsTheWay}: a real node needs a dead-man.
 * {@code healsItself}: {@code verify_healed} proves nothing. {@code sources}: as in {@code fault.sources} of run.json.
 */
public record FaultTraits(
        String kind, @Nullable String victim, boolean cutsTheWay, boolean healsItself, List<String> sources) {

    private static final FaultTraits UNKNOWN = new FaultTraits(FaultRun.MASTER, null, false, false, List.of());

    private static final Map<String, FaultTraits> CATALOGUE = read(ResourceText.table("faults.json"));

    public static FaultTraits of(String fault) {
        return CATALOGUE.getOrDefault(fault, UNKNOWN);
    }

    public boolean hitsBackend() {
        return kind.equals(FaultRun.BACKEND);
    }

    static Map<String, FaultTraits> read(String json) {
        return Json.read(json, JsonElement.class).getAsJsonObject().entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, entry -> Json.read(entry.getValue().toString(), FaultTraits.class)));
    }
}
