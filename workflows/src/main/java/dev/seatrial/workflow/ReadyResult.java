package dev.seatrial.workflow;

import dev.seatrial.provider.SshEndpoint;
import java.util.Optional;

/**
 * How the wait for a usable instance ended.
 *
 * @param endpoint where to log in; empty when it can never become usable
 * @param words why not, in the vendor's words
 */
public record ReadyResult(Optional<SshEndpoint> endpoint, String words) {}
