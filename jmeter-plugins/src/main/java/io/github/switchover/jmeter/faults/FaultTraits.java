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
 * The traits of a fault mechanism, by its name. They come from {@code faults.json} in this jar, which is generated from
 * Python's catalogue of faults.
 *
 * @param kind the kind of the victim: {@code master} or {@code backend}
 * @param victim the host of the lab on which the fault acts, if it is not the master
 * @param cutsTheWay true: a real node may be unreachable until it heals itself, so it needs a dead-man
 * @param healsItself true: the fault ends by itself, so {@code verify_healed} cannot distinguish the states
 * @param sources the sources that observe the effect independently of the commands, named as in {@code fault.sources}
 *     of run.json
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
