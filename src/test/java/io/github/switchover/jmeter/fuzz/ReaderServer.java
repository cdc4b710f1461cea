package io.github.switchover.jmeter.fuzz;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads inputs (four bytes of length, then the bytes), and returns the results of the named reader. */
public final class ReaderServer {

    private ReaderServer() {}

    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(System.in);
        DataOutputStream out = new DataOutputStream(System.out);
        byte[] length = new byte[Integer.BYTES];
        while (in.readNBytes(length, 0, length.length) == length.length) {
            byte[] input = in.readNBytes(ByteBuffer.wrap(length).getInt());
            byte[] answer = Readers.read(arguments[0], input).getBytes(StandardCharsets.UTF_8);
            out.writeInt(answer.length);
            out.write(answer);
            out.flush();
        }
    }
}
