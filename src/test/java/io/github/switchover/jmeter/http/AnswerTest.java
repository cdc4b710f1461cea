package io.github.switchover.jmeter.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.http.Answer.Progress;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the vectors cannot hold: answers without end, and from anybody. */
class AnswerTest {

    @Test
    void headers_without_end_are_given_up_at_64_kib() {
        Answer answer = answer();
        Progress progress = feed(answer, "HTTP/1.1 200 OK\r\n");
        for (int i = 0; i < 100 && progress == Progress.MORE; i++) {
            progress = feed(answer, "X-Filler: " + "x".repeat(1000) + "\r\n");
        }
        assertThat(progress).isEqualTo(Progress.BROKEN);
        assertThat(answer.violation()).isEqualTo("headers longer than 64 KiB");
        assertThat(answer.received()).isBetween(64L * 1024, 64L * 1024 + 1100);
    }

    @Test
    void interim_answers_without_end_are_given_up_at_64_kib() {
        Answer answer = answer();
        Progress progress = Progress.MORE;
        for (int i = 0; i < 5000 && progress == Progress.MORE; i++) {
            progress = feed(answer, "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n");
        }
        assertThat(progress).isEqualTo(Progress.BROKEN);
        assertThat(answer.violation()).isEqualTo("headers longer than 64 KiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Transfer-Encoding: chunked\r\n"})
    void body_without_end_is_given_up_at_16_mib(String framing) {
        Answer answer = answer();
        Progress progress = feed(answer, "HTTP/1.1 200 OK\r\n" + framing + "\r\n");
        String chunk = "100000\r\n" + "x".repeat(0x100000) + "\r\n";
        for (int i = 0; i < 17 && progress == Progress.MORE; i++) {
            progress = feed(answer, chunk);
        }
        assertThat(answer.violation()).isEqualTo("a body longer than 16 MiB");
    }

    @Test
    void answer_of_anybody_ends_in_order_whatever_it_holds() {
        Random random = new Random(5);
        String pieces = "HTTP/1.1 200 OK\r\n";
        String[] words = {
            pieces,
            "\r\n",
            "\r\n\r\n",
            "Content-Length: 3\r\n",
            "Transfer-Encoding: chunked\r\n",
            "X-Backend: ",
            "3",
            "abc",
            "0\r\n",
            "\n",
            " ",
            ":",
            "\u00ff",
            "\u0000",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "Connection: close\r\n",
            ";",
            ","
        };
        for (int round = 0; round < 5_000; round++) {
            StringBuilder text = new StringBuilder(random.nextInt(4) > 0 ? pieces : "");
            random.ints(random.nextInt(12), 0, words.length).forEach(i -> text.append(words[i]));
            Answer whole = answer();
            Answer split = answer();
            Progress inOne = text.isEmpty() ? Progress.MORE : feed(whole, text.toString());
            Progress inPieces = Progress.MORE;
            for (int i = 0; i < text.length() && inPieces == Progress.MORE; i++) {
                inPieces = feed(split, text.substring(i, i + 1));
            }
            assertThat(inPieces).isEqualTo(inOne);
            assertThat(split.violation()).isEqualTo(whole.violation()).doesNotContain("\n");
            assertThat(split.head()).isEqualTo(whole.head());
        }
    }

    private static HeadReader heads() {
        return new HeadReader(new IdentityReader(IdentitySettings.DEFAULT), null);
    }

    private static Answer answer() {
        return new Answer(heads(), 0);
    }

    private static Progress feed(Answer answer, String piece) {
        byte[] bytes = piece.getBytes(StandardCharsets.ISO_8859_1);
        return answer.feed(bytes, 0, bytes.length);
    }
}
