package dev.seatrial.app.remote;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.session.ClientSession;

/**
 * A session that is logged in, with all that carries it.
 *
 * @param session the session
 * @param hostKey key the host showed
 * @param carriers what carries it (client, jump session, tunnel), closed after it, last first
 */
record SshConnection(ClientSession session, SshConnector.HostKey hostKey, List<Closeable> carriers) {
    boolean alive() {
        return session.isOpen() && session.isAuthenticated();
    }

    void close() {
        session.close(true);
        closeAll(carriers);
    }

    static void closeAll(List<Closeable> carriers) {
        for (int i = carriers.size() - 1; i >= 0; i--) {
            if (carriers.get(i) instanceof SshClient client) {
                client.stop();
                continue;
            }
            try {
                carriers.get(i).close();
            } catch (IOException e) {
                // A tunnel of a dead session cannot say goodbye; its socket is closed all the same.
                continue;
            }
        }
    }
}
