package dev.seatrial.vendors.aliyun;

import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.aliyun.AliyunApi.Answer;
import dev.seatrial.vendors.http.Lane;
import dev.seatrial.vendors.http.NoAnswerException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether the key may create and delete. Asked with dry runs that could do nothing even if they were carried out: a create
 * that names nothing to create, a delete of an instance that cannot exist. That the vendor looks at rights before it looks
 * at parameters is unverified; where it does not, no missing right is found and none is claimed.
 */
final class AliyunRights {
    /** Refused creates stand in the vendor's audit trail; one an hour will do. */
    private static final Duration FRESH = Duration.ofHours(1);

    private final InstantSource clock;
    private final AtomicReference<Optional<Seen>> seen = new AtomicReference<>(Optional.empty());

    private record Seen(Instant at, Set<String> missing) {}

    AliyunRights(InstantSource clock) {
        this.clock = clock;
    }

    /** Those known to be missing, {@code create} and {@code delete}. */
    Set<String> missing(AliyunApi api, String region) {
        Instant now = clock.instant();
        Optional<Seen> known =
                seen.get().filter(s -> s.missing().isEmpty()).filter(s -> now.isBefore(s.at().plus(FRESH)));
        if (known.isPresent()) {
            return known.get().missing();
        }
        Set<String> missing = new HashSet<>();
        if (forbidden(api, "RunInstances", Map.of("RegionId", region, "DryRun", "true"))) {
            missing.add("create");
        }
        if (forbidden(
                api,
                "DeleteInstance",
                Map.of("InstanceId", "i-seatrialnosuchinstance", "Force", "true", "DryRun", "true"))) {
            missing.add("delete");
        }
        seen.set(Optional.of(new Seen(now, Set.copyOf(missing))));
        return missing;
    }

    private static boolean forbidden(AliyunApi api, String action, Map<String, String> parameters) {
        Answer answer;
        try {
            answer = api.post(Lane.READ, action, parameters);
        } catch (NoAnswerException e) {
            throw e.asProviderException();
        }
        ProviderException told = AliyunErrors.exception(answer);
        return told.kind() == ErrorKind.PERMISSION;
    }
}
