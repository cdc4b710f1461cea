package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.run.Traffic.Bucket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

class TrafficTest {

    private static final Pattern HDR = Pattern.compile("hdr=\"([^\"]*)\"");

    @ParameterizedTest
    @VectorSource(file = "traffic.json", table = "cases")
    void traffic_is_counted_as_agreed(JsonObject vector) throws DataFormatException {
        Traffic traffic = new Traffic(
                vector.get("measurement").getAsString(),
                vector.get("run").getAsString(),
                vector.get("worker").getAsString());
        for (JsonElement element : vector.getAsJsonArray("steps")) {
            JsonObject step = element.getAsJsonObject();
            if (step.has("add")) {
                add(traffic, step.getAsJsonObject("add"));
            } else {
                assertFlushed(traffic.flush(step.get("flush").getAsLong()), step.getAsJsonArray("lines"));
            }
        }
    }

    @ParameterizedTest
    @VectorSource(file = "traffic.json", table = "histograms")
    void histograms_of_either_language_are_read(JsonObject vector) throws DataFormatException {
        assertThat(decode(vector.get("base64").getAsString())).isEqualTo(counts(vector.getAsJsonArray("counts")));
    }

    @Test
    void threads_share_a_traffic() {
        Traffic traffic = new Traffic("switchover_requests", "r1", "w1");
        IntStream.range(0, 10_000)
                .parallel()
                .forEach(n -> traffic.add(n % 10, 5, 1, traffic.series(Map.of("backend", "web" + n % 3))));
        assertThat(traffic.flush(1_000_000))
                .extracting(line -> line.replaceAll(",rt_sum.*", ""))
                .containsExactly(
                        "switchover_requests,backend=web0,run=r1,worker=w1 count=3334i,bytes=3334i",
                        "switchover_requests,backend=web1,run=r1,worker=w1 count=3333i,bytes=3333i",
                        "switchover_requests,backend=web2,run=r1,worker=w1 count=3333i,bytes=3333i");
    }

    private static void add(Traffic traffic, JsonObject add) {
        traffic.add(
                add.get("end_us").getAsLong(),
                add.get("latency_us").getAsLong(),
                add.get("bytes").getAsLong(),
                traffic.series(Contract.strings(add.getAsJsonObject("tags"))));
    }

    /** Histograms are compared decoded: compression may differ between libraries, its content may not. */
    private static void assertFlushed(List<String> lines, JsonArray expected) throws DataFormatException {
        assertThat(lines).hasSize(expected.size());
        for (int i = 0; i < lines.size(); i++) {
            JsonObject vector = expected.get(i).getAsJsonObject();
            Matcher hdr = HDR.matcher(lines.get(i));
            assertThat(hdr.find()).isTrue();
            assertThat(hdr.replaceFirst("hdr=\"*\""))
                    .isEqualTo(vector.get("line").getAsString());
            assertThat(decode(hdr.group(1))).isEqualTo(counts(vector.getAsJsonArray("hdr")));
        }
    }

    private static List<List<Long>> decode(String text) throws DataFormatException {
        Histogram histogram = Histogram.decodeFromCompressedByteBuffer(
                ByteBuffer.wrap(Base64.getDecoder().decode(text)), Bucket.HIGHEST_US);
        List<List<Long>> counts = new ArrayList<>();
        histogram
                .recordedValues()
                .forEach(step ->
                        counts.add(List.of(step.getValueIteratedTo(), step.getCountAddedInThisIterationStep())));
        return counts;
    }

    private static List<List<Long>> counts(JsonArray array) {
        return Contract.stream(array)
                .map(pair -> Contract.stream(pair.getAsJsonArray())
                        .map(JsonElement::getAsLong)
                        .toList())
                .toList();
    }
}
