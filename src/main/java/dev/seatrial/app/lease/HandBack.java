package dev.seatrial.app.lease;

import dev.seatrial.workflow.LeaseHandle;
import java.util.Optional;

/** Takes our load, files and keys off a borrowed machine. */
public interface HandBack {
    /** One attempt. @return empty when nothing of ours is left, else what is, or why it could not be seen */
    Optional<String> tryClean(LeaseHandle lease);
}
