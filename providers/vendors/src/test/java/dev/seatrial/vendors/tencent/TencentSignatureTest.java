package dev.seatrial.vendors.tencent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.provider.ProviderException;
import dev.seatrial.vendors.TestClock;
import dev.seatrial.vendors.http.Lane;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TencentSignatureTest {
    /** The worked example of cloud.tencent.com/document/api/213/30654, with stars for both secrets as it stands there. */
    @Test
    void theVendorsOwnExampleComesOut() {
        String stars = "*".repeat(32);
        TencentSignature signature = TencentSignature.of(
                "AKID" + stars,
                stars,
                "cvm",
                "cvm.tencentcloudapi.com",
                "DescribeInstances",
                "{\"Limit\": 1, \"Filters\": [{\"Values\": [\"\\u672a\\u547d\\u540d\"], \"Name\": \"instance-name\"}]}",
                Instant.ofEpochSecond(1551113065));
        assertThat(signature.authorization())
                .isEqualTo("TC3-HMAC-SHA256 Credential=AKID" + stars + "/2019-02-25/cvm/tc3_request, "
                        + "SignedHeaders=content-type;host;x-tc-action, "
                        + "Signature=10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f");
        assertThat(signature.toString()).doesNotContain(signature.signature());
    }

    /** The vendor signs what it receives: letter by letter, so it is looked at without a server in between. */
    @Test
    void whatIsSentIsWhatWasSigned() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TencentApi api = new TencentApi(
                        "tencent",
                        "cvm",
                        "2017-03-12",
                        URI.create("http://127.0.0.1:" + server.getLocalPort()),
                        new TencentApi.Credentials(() -> "id-1", () -> "key-1", Optional::empty),
                        new TestClock(Instant.ofEpochSecond(1551113065)))) {
            CompletableFuture<String> received = CompletableFuture.supplyAsync(() -> receive(server));
            assertThatThrownBy(() -> api.ask(
                            Lane.READ,
                            "ap-guangzhou",
                            "DescribeZones",
                            TencentMapper.object().put("中", "é")))
                    .isInstanceOf(ProviderException.class);
            String request = received.get(10, TimeUnit.SECONDS);
            String body = "{\"中\":\"é\"}";
            assertThat(request)
                    .startsWith("POST / HTTP/1.1\r\n")
                    .contains("\r\nContent-Type: " + TencentSignature.CONTENT_TYPE + "\r\n")
                    .contains("\r\nHost: 127.0.0.1:" + server.getLocalPort() + "\r\n")
                    .contains("\r\nX-TC-Region: ap-guangzhou\r\n", "\r\nX-TC-Timestamp: 1551113065\r\n")
                    .contains(TencentSignature.of(
                                    "id-1",
                                    "key-1",
                                    "cvm",
                                    "127.0.0.1:" + server.getLocalPort(),
                                    "DescribeZones",
                                    body,
                                    Instant.ofEpochSecond(1551113065))
                            .authorization())
                    .endsWith(body);
        }
    }

    private static String receive(ServerSocket server) {
        try (Socket socket = server.accept()) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            InputStream in = socket.getInputStream();
            while (!all.toString(StandardCharsets.UTF_8).endsWith("\"}")) {
                int b = in.read();
                if (b < 0) {
                    break;
                }
                all.write(b);
            }
            return all.toString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
