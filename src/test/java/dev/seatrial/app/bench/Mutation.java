package dev.seatrial.app.bench;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** A line as a broken or hostile machine would have written it; the same dice give the same line. */
public final class Mutation {
    private Mutation() {}

    public static String of(String line, Random random) {
        if (line.isEmpty()) {
            return "\u0000";
        }
        return switch (random.nextInt(6)) {
            case 0 -> {
                byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
                for (int i = 0; i < 3; i++) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
                yield new String(bytes, StandardCharsets.UTF_8);
            }
            case 1 -> line.substring(0, random.nextInt(line.length()));
            case 2 ->
                line.replaceAll(
                        "\\d+(\\.\\d+)?", pick(random, "-1", "0", "1e308", "\"x\"", "null", "{}", "99999999999999"));
            case 3 ->
                line.replaceAll(":\"[^\"]*\"", ":" + pick(random, "null", "[]", "{\"a\":1}", "\"\"", "7", "true"));
            case 4 ->
                line.replaceFirst(
                        "\"(value|name|attrs|params|type|seq)\":", "\"" + pick(random, "value", "name", "x") + "\":");
            default -> {
                int at = random.nextInt(line.length());
                yield line.substring(0, at)
                        + pick(random, "[[[[", "\"", "}", "\\u0000", "\uD800", "\n")
                        + line.substring(at);
            }
        };
    }

    private static String pick(Random random, String... words) {
        return words[random.nextInt(words.length)];
    }
}
