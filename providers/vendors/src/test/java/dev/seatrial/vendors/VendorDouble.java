package dev.seatrial.vendors;

import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.Provider;
import java.time.Duration;
import java.util.List;

/**
 * A vendor under the test's control, seen from its API. Each adapter's test has one: the simulator, or recorded answers
 * behind a mock server.
 */
public interface VendorDouble extends AutoCloseable {
    /** Kinds of calls. */
    enum Call {
        ACCOUNT,
        OFFERS,
        CREATE,
        GET,
        LIST,
        RELEASE
    }

    /** What can happen to a call. */
    enum Mishap {
        /** The connection breaks and nothing was done. */
        DROPPED,
        /** It was done, then the connection breaks. */
        ANSWER_LOST,
        /** It was done, then the vendor answers 500. */
        ERROR_AFTER_EFFECT,
        /** It was not done and the vendor answers 503. */
        UNAVAILABLE,
        HTML,
        EMPTY_BODY,
        HALF_A_DOCUMENT,
        CUT_CONNECTION,
        ERROR_UNDER_200,
        ODD_SHAPE,
        /** Throttled in the vendor's form, asking for {@link #throttle()}. */
        THROTTLED,
        NO_CAPACITY,
        QUOTA,
        NO_FUNDS,
        /** Create: missing from list and get for ten seconds. */
        HIDDEN,
        /** Release: refused now, for about ten seconds. */
        REFUSED,
        /** Get and list: a state word nobody knows. */
        UNKNOWN_WORD,
        /** Create: billed at twice the quote. */
        DEARER,
        /** Get and list: ids as numbers. */
        NUMBER_IDS,
        /** Create: refused with an id of something that exists all the same. */
        REFUSED_WITH_ID
    }

    /** The adapter with the right key. */
    Provider provider();

    /** The adapter with another key. */
    Provider provider(String key);

    /** The right key. */
    String key();

    /** The {@code nth} call of this kind from now on, counted from 1, meets this. */
    void on(Call call, int nth, Mishap mishap);

    /** Whether this vendor can do that to this call at all. */
    boolean can(Call call, Mishap mishap);

    /** A request that would succeed, for a lease with this number. */
    CreateRequest request(int number);

    /** Instances that ever came into being. */
    int created();

    /** Names of those that still exist. */
    List<String> living();

    /** Lets time pass at the vendor. */
    void advance(Duration time);

    /** How many instances one page of a list holds; 0 = the vendor does not page. */
    int pageSize();

    /** How long it asks a throttled caller to wait, in a header or in its manual. */
    default Duration throttle() {
        return Duration.ofSeconds(7);
    }

    /** Whether an instance shows what it costs. */
    default boolean pricesInstances() {
        return true;
    }

    @Override
    void close();
}
