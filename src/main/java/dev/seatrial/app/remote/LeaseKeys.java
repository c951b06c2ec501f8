package dev.seatrial.app.remote;

import dev.seatrial.provider.PublicKey;

/** One SSH key pair per lease. Private halves never leave their store. */
public interface LeaseKeys {
    /** Makes the pair if there is none; the same for every call with this lease. */
    PublicKey publicKey(String lease);

    /** Forgets the pair once the lease is closed. */
    void forget(String lease);
}
