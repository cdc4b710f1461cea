package io.github.switchover.jmeter.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentitySettings;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the vectors cannot hold: answers without end, and from anybody. */
class AnswerTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Backend: web1\r\n\r\nabc";
    private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    @Test
    void same_answer_again_reads_the_same() {
        HeadReader heads = heads();
        Head first = fed(new Answer(heads, 0, false), OK).head();
        assertThat(fed(new Answer(heads, 0, false), OK).head()).isSameAs(first);
    }

    @Test
    void heads_remembered_are_bounded_and_read_right_beyond_that() {
        HeadReader heads = heads();
        for (int i = 0; i < 3 * HeadReader.CACHE_LIMIT; i++) {
            String answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Backend: web" + i % 100 + "\r\n\r\n";
            assertThat(fed(new Answer(heads, 0, false), answer)
                            .head()
                            .identity()
                            .backend())
                    .isEqualTo("web" + i % 100);
        }
    }

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

    @Test
    void trailers_without_end_are_given_up() {
        Answer answer = answer();
        Progress progress = feed(answer, CHUNKED + "0\r\n");
        for (int i = 0; i < 100 && progress == Progress.MORE; i++) {
            progress = feed(answer, "X: " + "y".repeat(1000) + "\r\n");
        }
        assertThat(answer.violation()).isEqualTo("trailers without end");
    }

    @Test
    void size_line_without_end_is_given_up() {
        Answer answer = answer();
        feed(answer, CHUNKED);
        assertThat(feed(answer, "1".repeat(5000))).isEqualTo(Progress.BROKEN);
        assertThat(answer.violation()).isEqualTo("a chunk's line without end");
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
    void body_is_kept_as_far_as_asked_without_its_chunks() {
        String chunks = CHUNKED + "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n";
        assertThat(body(fed(new Answer(heads(), 100, false), chunks))).isEqualTo("abcdefg");
        assertThat(body(fed(new Answer(heads(), 5, false), chunks))).isEqualTo("abcde");
        assertThat(body(fed(new Answer(heads(), 0, false), chunks))).isEmpty();
        assertThat(body(fed(new Answer(heads(), 100, false), OK + "surplus"))).isEqualTo("abc");
        assertThat(body(fed(new Answer(heads(), 2, false), OK))).isEqualTo("ab");
        assertThat(body(fed(new Answer(heads(), 9, false), "HTTP/1.0 200 OK\r\n\r\nsome")))
                .isEqualTo("some");
    }

    @Test
    void bytes_behind_the_last_chunk_are_no_part_of_the_answer() {
        assertThat(fed(answer(), CHUNKED + "0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n").hasSurplus())
                .isTrue();
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
        return new Answer(heads(), 0, false);
    }

    private static Answer fed(Answer answer, String... pieces) {
        Stream.of(pieces).forEach(piece -> feed(answer, piece));
        return answer;
    }

    private static Progress feed(Answer answer, String piece) {
        byte[] bytes = piece.getBytes(StandardCharsets.ISO_8859_1);
        return answer.feed(bytes, 0, bytes.length);
    }

    private static String body(Answer answer) {
        return StandardCharsets.ISO_8859_1.decode(answer.body()).toString();
    }
}
