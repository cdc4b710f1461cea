package io.github.switchover.jmeter.faults;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.run.FaultRun;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The traits of a fault mechanism, by its name. They come from {@code faults.json} in this jar, which Python
 * generates from its catalogue of faults.
 *
 * @param kind the kind of the victim: {@code master} or {@code backend}
 * @param victim the lab's host that the fault acts on, if that is not the master; else null
 * @param cutsTheWay a real node may be out of reach until it heals by itself: it needs a dead-man there
 * @param healsItself nothing stays broken: {@code verify_healed} has no state to distinguish
 * @param sources the sources that see its effect without its commands, as named in {@code fault.sources} of run.json
 */
public record FaultTraits(String kind, String victim, boolean cutsTheWay, boolean healsItself, List<String> sources) {

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
