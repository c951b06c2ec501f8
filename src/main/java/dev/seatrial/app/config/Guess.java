package dev.seatrial.app.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** What somebody probably meant. */
public final class Guess {
    private Guess() {}

    /** The word nearest to what was written, when it is near enough to be a slip. */
    public static Optional<String> of(String written, Collection<String> words) {
        String plain = plain(written);
        int limit = Math.max(1, Math.min(3, plain.length() / 3));
        return words.stream()
                .filter(w -> distance(plain, plain(w)) <= limit)
                .min(Comparator.<String>comparingInt(w -> distance(plain, plain(w)))
                        .thenComparing(Comparator.naturalOrder()));
    }

    private static String plain(String word) {
        String bare = word.toLowerCase(Locale.ROOT).replaceAll("[ _-]", "");
        return bare.length() > 60 ? bare.substring(0, 60) : bare;
    }

    /** Edits between two words, a swap of neighbours counting as one. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                boolean same = a.charAt(i - 1) == b.charAt(j - 1);
                d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (same ? 0 : 1));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
