package dev.seatrial.vendors.http;

import dev.seatrial.provider.ErrorKind;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Paces one account. Reads and creates share a limiter, a bulkhead and a breaker; release and list have a limiter of
 * their own and nothing else in their way.
 */
final class Turnstile {
    private static final int WINDOW = 20;
    private static final float TOO_MANY_FAILURES = 60;
    private static final Duration OPEN = Duration.ofSeconds(10);

    private final String account;
    private final RateLimiter usual;
    private final RateLimiter safety;
    private final Bulkhead bulkhead;
    private final CircuitBreaker breaker;

    Turnstile(String account, HttpSettings.Limits limits, Clock clock) {
        this.account = account;
        this.usual = RateLimiter.of(account, limiter(limits.perSecond(), limits.patience()));
        this.safety = RateLimiter.of(account + "-safety", limiter(limits.safetyPerSecond(), limits.patience()));
        this.bulkhead = Bulkhead.of(
                account,
                BulkheadConfig.custom()
                        .maxConcurrentCalls(limits.atOnce())
                        .maxWaitDuration(limits.patience())
                        .build());
        this.breaker = CircuitBreaker.of(
                account,
                CircuitBreakerConfig.custom()
                        .slidingWindowSize(WINDOW)
                        .minimumNumberOfCalls(WINDOW / 2)
                        .failureRateThreshold(TOO_MANY_FAILURES)
                        .waitDurationInOpenState(OPEN)
                        .permittedNumberOfCallsInHalfOpenState(2)
                        .clock(clock)
                        .build());
    }

    private static RateLimiterConfig limiter(double perSecond, Duration patience) {
        int burst = (int) Math.max(1, Math.round(perSecond));
        return RateLimiterConfig.custom()
                .limitForPeriod(burst)
                .limitRefreshPeriod(Duration.ofNanos(Math.round(burst / perSecond * 1e9)))
                .timeoutDuration(patience)
                .build();
    }

    /** A call that was let through; it must be told how it went. */
    interface Pass {
        /** @param healthy whether the vendor answered with anything but its own failure */
        void done(boolean healthy);
    }

    /**
     * Waits for this call's turn.
     *
     * @throws NoAnswerException when its turn does not come; nothing was sent then
     */
    Pass enter(Lane lane) throws NoAnswerException {
        if (lane == Lane.SAFETY) {
            turn(safety);
            return healthy -> {};
        }
        if (!breaker.tryAcquirePermission()) {
            throw stopped("too many calls to " + account + " failed just now, so this one was not sent", OPEN);
        }
        boolean through = false;
        try {
            if (!bulkhead.tryAcquirePermission()) {
                throw stopped("too many calls to " + account + " are in flight", Duration.ofSeconds(1));
            }
            try {
                turn(usual);
                through = true;
            } finally {
                if (!through) {
                    bulkhead.releasePermission();
                }
            }
        } finally {
            if (!through) {
                breaker.releasePermission();
            }
        }
        long start = System.nanoTime();
        return healthy -> {
            bulkhead.onComplete();
            long took = System.nanoTime() - start;
            if (healthy) {
                breaker.onSuccess(took, TimeUnit.NANOSECONDS);
            } else {
                breaker.onError(took, TimeUnit.NANOSECONDS, new IllegalStateException("the vendor failed"));
            }
        };
    }

    private void turn(RateLimiter limiter) throws NoAnswerException {
        if (!limiter.acquirePermission()) {
            throw Thread.currentThread().isInterrupted()
                    ? stopped("interrupted before it was sent", Duration.ofSeconds(1))
                    : new NoAnswerException(
                            ErrorKind.RATE_LIMITED,
                            false,
                            "our own pace for " + account + " left no room",
                            Optional.of(Duration.ofSeconds(1)));
        }
    }

    private static NoAnswerException stopped(String why, Duration retryAfter) {
        return new NoAnswerException(ErrorKind.VENDOR_UNAVAILABLE, false, why, Optional.of(retryAfter));
    }
}
