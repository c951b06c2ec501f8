package dev.seatrial.simulator.ssh;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** Writes the plainest tar there is: regular files with short names. */
final class Tar {
    private static final int BLOCK = 512;

    private Tar() {}

    /** @param files contents by name of at most 99 ASCII characters */
    static byte[] of(Map<String, byte[]> files) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        files.forEach((name, content) -> {
            byte[] head = new byte[BLOCK];
            put(head, 0, name);
            put(head, 100, "0000600");
            put(head, 108, "0000000");
            put(head, 116, "0000000");
            put(head, 124, String.format(Locale.ROOT, "%011o", content.length));
            put(head, 136, "00000000000");
            Arrays.fill(head, 148, 156, (byte) ' ');
            head[156] = '0';
            put(head, 257, "ustar");
            put(head, 263, "00");
            int sum = 0;
            for (byte b : head) {
                sum += b & 0xff;
            }
            put(head, 148, String.format(Locale.ROOT, "%06o", sum));
            head[154] = 0;
            out.writeBytes(head);
            out.writeBytes(content);
            out.writeBytes(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
        });
        out.writeBytes(new byte[2 * BLOCK]);
        return out.toByteArray();
    }

    private static void put(byte[] head, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, head, at, bytes.length);
    }
}
